from report.conftest import hostile_result, wine_result

__all__ = ["hostile_result", "wine_result"]
