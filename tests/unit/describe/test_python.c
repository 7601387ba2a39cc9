// test_python.c: signatures, docstrings and classes as tools.
#include "describe_fixture.h"

static converted python(const char *text)
{
    return convert(text, LG_DESCRIBE_PYTHON);
}

static void types(void)
{
    converted c = python(
        "from typing import *\n"
        "def f(a: int, b: Optional[str] = None, *, c: List[Dict[str, float]] = [],\n"
        "      d: Literal['x', 'y'] = 'x', e: int | None = -3, g: tuple[int, str] = (1, 'a'),\n"
        "      h: \"Sequence[bool]\" = (), i: typing.Union[int, str, None] = 1_000, j=2.5) -> "
        "dict[str, int]: ...\n");
    CHECK(c.status == LG_OK && c.tools->tool_count == 1);
    CHECK(holds(&c, "f", ARGS "/required", "[\"a\"]"));
    CHECK(holds(&c, "f", ARGS "/additionalProperties", "false"));
    CHECK(holds(&c, "f", ARG "a", "{\"type\":\"integer\",\"description\":\"The a\"}"));
    CHECK(holds(&c, "f", ARG "b/type", "[\"string\",\"null\"]"));
    CHECK(holds(&c, "f", ARG "c/items/additionalProperties/type", "\"number\""));
    CHECK(holds(&c, "f", ARG "d/enum", "[\"x\",\"y\"]"));
    CHECK(holds(&c, "f", ARG "e/default", "-3"));
    CHECK(holds(&c, "f", ARG "g/prefixItems", "[{\"type\":\"integer\"},{\"type\":\"string\"}]"));
    CHECK(holds(&c, "f", ARG "g/default", "[1,\"a\"]"));
    CHECK(holds(&c, "f", ARG "h/items/type", "\"boolean\""));
    CHECK(holds(&c, "f", ARG "i/type", "[\"integer\",\"string\",\"null\"]"));
    CHECK(holds(&c, "f", ARG "i/default", "1000"));
    CHECK(holds(&c, "f", ARG "j/type", "\"number\""));
    CHECK(holds(&c, "f", GIVES "/additionalProperties/type", "\"integer\""));
    converted_done(&c);
}

static void docstrings(void)
{
    converted c =
        python("def google(city, days=3):\n"
               "    '''Gets it.\n\n"
               "    Args:\n"
               "        city (str): The city,\n"
               "            by name.\n"
               "        days: How many.\n\n"
               "    Returns:\n"
               "        list of str: The days.\n"
               "    '''\n"
               "def numpy(x):\n"
               "    \"\"\"Works.\n\n"
               "    Parameters\n    ----------\n    x : {'a', 'b'}, optional\n        The x.\n\n"
               "    Returns\n    -------\n    float\n        The y.\n    \"\"\"\n"
               "def rest(n):\n"
               "    \"\"\"Sends.\n\n    :param int n: how many\n    :returns: whether\n    :rtype: "
               "bool\n    \"\"\"\n");
    CHECK(c.status == LG_OK && c.tools->tool_count == 3);
    CHECK(holds(&c, "google", "/description", "\"Gets it.\""));
    CHECK(holds(&c, "google", ARG "city",
                "{\"type\":\"string\",\"description\":\"The city, by name.\"}"));
    CHECK(holds(&c, "google", ARG "days/description", "\"How many.\""));
    CHECK(holds(
        &c, "google", GIVES,
        "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"The days.\"}"));
    CHECK(holds(&c, "google", "/x-ledgergate-kind", "\"read\""));
    CHECK(holds(&c, "numpy", ARG "x", "{\"enum\":[\"a\",\"b\"],\"description\":\"The x.\"}"));
    CHECK(holds(&c, "numpy", GIVES, "{\"type\":\"number\",\"description\":\"The y.\"}"));
    CHECK(holds(&c, "rest", ARG "n", "{\"type\":\"integer\",\"description\":\"how many\"}"));
    CHECK(holds(&c, "rest", GIVES, "{\"type\":\"boolean\",\"description\":\"whether\"}"));
    CHECK(holds(&c, "rest", "/x-ledgergate-by/success", "\"docstring\""));
    CHECK(holds(&c, "rest", "/x-ledgergate-kind", "\"write\""));
    converted_done(&c);
}

static void parameters_called_as_sections_are(void)
{
    converted c = python("def send(note, example, returns):\n"
                         "    '''Sends.\n\n"
                         "    Args:\n"
                         "        note (str): The text.\n"
                         "        example: One.\n"
                         "        returns (int): How many came back.\n\n"
                         "    Returns:\n"
                         "        the booking with its booking_id.\n"
                         "    '''\n");
    CHECK(c.status == LG_OK && c.tools->tool_count == 1);
    CHECK(holds(&c, "send", ARG "note", "{\"type\":\"string\",\"description\":\"The text.\"}"));
    CHECK(holds(&c, "send", ARG "example/description", "\"One.\""));
    CHECK(holds(&c, "send", ARG "returns/type", "\"integer\""));
    CHECK(holds(&c, "send", GIVES "/description", "\"the booking with its booking_id.\""));
    CHECK(c.tools->tools[0].unknown_count > 0); // what a booking is
    converted_done(&c);
}

static void classes(void)
{
    converted c =
        python("class Color(str, Enum):\n    RED = 'red'\n    BLUE = 'blue'\n\n"
               "@dataclass\nclass Node:\n    name: str\n    next: Optional['Node'] = None\n\n"
               "class Item(BaseModel):\n    count: int = Field(..., ge=1, description='How "
               "many')\n    note: str = ''\n"
               "    def helper(self): pass\n\n"
               "class Options(TypedDict, total=False):\n    deep: bool\n\n"
               "class Shop:\n    def __init__(self, x): pass\n    @property\n    def busy(self) -> "
               "bool: ...\n"
               "    async def add_item(self, item: Item, color: Color = Color.RED, *, options: "
               "Options = {}):\n"
               "        def inner(y): ...\n"
               "    @staticmethod\n    def total(a: int) -> float: ...\n\n"
               "def walk(node: Node, **more): ...\n");
    CHECK(c.status == LG_OK && c.tools->tool_count == 3);
    CHECK(holds(&c, "add_item", ARGS "/required", "[\"item\"]"));
    CHECK(holds(&c, "add_item", ARG "item/properties/count",
                "{\"type\":\"integer\",\"minimum\":1,\"description\":\"How many\"}"));
    CHECK(holds(&c, "add_item", ARG "item/required", "[\"count\"]"));
    CHECK(holds(&c, "add_item", ARG "color/enum", "[\"red\",\"blue\"]"));
    CHECK(holds(&c, "add_item", ARG "color/default", "\"red\""));
    CHECK(holds(&c, "add_item", ARG "options/properties/deep/type", "\"boolean\""));
    CHECK(holds(&c, "total", ARGS "/required", "[\"a\"]"));
    // Once round, and cut.
    CHECK(holds(&c, "walk", ARG "node/properties/name/type", "\"string\""));
    CHECK(holds(&c, "walk", ARG "node/properties/next/anyOf/0/properties/next/anyOf/0/description",
                "\"Cut here: Node contains itself, or there is too much of it\""));
    CHECK(c.tools->tools[2].unknown_count > 0);
    converted_done(&c);
}

static void nothing_is_run(void)
{
    converted c =
        python("import os; os.system('touch /tmp/no')\n"
               "def f(a=__import__('os').system('x'), b=[1, g(2)], c={1: 2}): # def not(this)\n"
               "    s = \"def g(x): \\\" \" 'def h(): '\n    return a\n"
               "def k(a, \\\n  b): return '''\ndef z(): ...\n'''\n");
    CHECK(c.status == LG_OK && c.tools->tool_count == 2);
    CHECK(holds(&c, "f", ARGS "/properties",
                "{\"a\":{\"description\":\"The a\"},\"b\":{\"description\":\"The "
                "b\"},\"c\":{\"description\":\"The c\"}}"));
    CHECK(holds(&c, "k", ARGS "/required", "[\"a\",\"b\"]"));
    converted_done(&c);
}

static void too_many_parameters_are_told_of(void)
{
    char text[9000] = "def f(";
    size_t len = 6;
    for (int i = 0; i <= (int)LG_DESCRIBE_MEMBERS_MAX; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "a%d, ", i);
    }
    snprintf(text + len, sizeof(text) - len, "): ...\n");
    converted c = python(text);
    CHECK(c.status == LG_OK && c.tools->finding_count == 1);
    CHECK(strstr(c.tools->findings[0].msg.ptr, "the first 512 alone") != NULL);
    converted_done(&c);
}

static void fails(const char *text, uint32_t line, uint32_t column, const char *said)
{
    converted c = python(text);
    bool there = strstr(c.error.msg, said) != NULL;
    if (!CHECK(c.status != LG_OK && c.error.line == line && c.error.column == column && there)) {
        printf("    %u:%u: %s\n", c.error.line, c.error.column, c.error.msg);
    }
    converted_done(&c);
}

static void mistakes(void)
{
    fails("x = 1\ndef f(a:\n", 2, 6, "never closed");
    fails("def f(a): 'x\n", 1, 11, "no end");
    fails("def f(a)):\n", 1, 9, "closes none");
    fails("def (a): pass\n", 1, 5, "a name behind `def`");
    fails("def f(a b): pass\n", 1, 9, "no list of parameters");
    fails("def f(a) pass\n", 1, 10, "expected `:`");
    fails("def _f(a): pass\n", 1, 1, "no tool is described");
    fails("def f(a): '\xff'\n", 1, 12, "no UTF-8");
    char deep[400] = "def f(a=";
    memset(deep + 8, '[', 200);
    fails(deep, 1, 108, "nested more than");
}

int main(void)
{
    RUN(types);
    RUN(docstrings);
    RUN(parameters_called_as_sections_are);
    RUN(classes);
    RUN(nothing_is_run);
    RUN(too_many_parameters_are_told_of);
    RUN(mistakes);
    return lg_test_done();
}
