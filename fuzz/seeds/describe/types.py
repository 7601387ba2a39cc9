from typing import *
A = Dict["B", 'A']
class B(TypedDict, total=False):
    a: Annotated[int, Field(ge=0, description="n")]
    b: Tuple[int, ...] | None
class C(B, Enum):
    X = 1; Y = {1, 2}
@overload
def f(x: "List[", y: C = C.X, *a, z={'a': [(1, -2.5e3)]}, **k) -> Literal[1, "a", None]: ...
async def g[T](self, q: T = lambda: 1, /, *, r: B = {}) -> Tuple[A, B]: """x
:returns: y"""
