"""A shop."""
from __future__ import annotations
from typing import Optional, List, Dict, Literal
from enum import Enum
from dataclasses import dataclass, field

class Color(str, Enum):
    RED = "red"
    BLUE = "blue"

@dataclass
class Node:
    """A node.

    Attributes:
        name: What it is called.
    """
    name: str
    children: List["Node"] = field(default_factory=list)
    weight: float = 1.5

Size = Literal["s", "m", 'l']

class Shop:
    """A shop."""
    def __init__(self, x): pass

    @property
    def busy(self) -> bool:
        return True

    async def find_items(self, query: str, limit: int = -10, *, colors: Optional[List[Color]] = None,
                   size: Size = "m", at=(1, 2.), tag='a\'b') -> List[Dict[str, float]]:
        """Finds items.

        More about it: really.

        Args:
            query (str): What to look for,
                on two lines.
            limit: How many.
            nothing: not there

        Returns:
            list: What was found.

        Raises:
            ValueError: never
        """
        def inner(a): return a
        return []

def set_node(node: Node, color: Color = Color.RED, **kwargs) -> dict:
    r"""Sets it.

    Parameters
    ----------
    node : Node
        The node.
    color : {'red', 'blue'}, optional
        Its colour.

    Returns
    -------
    dict
        What was done.
    """

def area(a, b=2):
    """Compute the area.

    :param float a: first side
    :param b: second
    :type b: int
    :returns: the area
    :rtype: float
    """
    return a * \
       b
