"""Code that several layers share: messages, parameter checks, files, resources, the JIT."""
