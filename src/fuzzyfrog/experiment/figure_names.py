"""What the figure files of an experiment are called."""

__all__ = ["FIGURES_FOLDER", "figure_path"]

FIGURES_FOLDER = "figures"


def figure_path(kind: str, lineup: str, *where: str) -> str:
    """Give the path of a figure below the folder of the results.

    Parameters
    ----------
    kind : str
        What it shows, such as "sizes".
    lineup : str
        Of which lineup.
    *where : str
        With which panel, under which protocol, as far as that makes a difference.

    Returns
    -------
    str
        With slashes, as in a link.
    """
    words = "".join(letter if letter.isalnum() else " " for letter in lineup).split()
    return f"{FIGURES_FOLDER}/{'-'.join([kind, *where, *words])}.svg"
