// Random expressions, evaluated by cel-go and by LedgerGate, and their results compared.
//
//	cel-differential [-cases 100000] [-seed 1] BENCH_CEL_LINES VARIABLES.json
//
// Expressions are made by type, so that most of them compile; mistakes are put in on purpose. A
// difference is explained by one of the classes below or is shown; the exit code is 1 if there was one
// without an explanation.
package main

import (
	"bufio"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand"
	"os"
	"os/exec"
	"regexp"
	"sort"
	"strings"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"ledgergate/bench/peers/cel/typed"
)

// --- Results ----------------------------------------------------------------------------------------

// The text of a value, as bench_cel_lines writes it.
func show(v ref.Val) string {
	switch v := v.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return fmt.Sprint(bool(v))
	case types.Int:
		return fmt.Sprintf("i:%d", int64(v))
	case types.Uint:
		return fmt.Sprintf("u:%d", uint64(v))
	case types.Double:
		if math.IsNaN(float64(v)) {
			return "d:nan"
		}
		return fmt.Sprintf("d:%016x", math.Float64bits(float64(v)))
	case types.String:
		return "s:" + hex.EncodeToString([]byte(v))
	case types.Bytes:
		return "b:" + hex.EncodeToString(v)
	case types.Timestamp:
		return fmt.Sprintf("t:%d.%09d", v.Unix(), v.Nanosecond())
	case types.Duration:
		seconds, nanos := int64(v.Duration)/1e9, int64(v.Duration)%1e9
		if nanos < 0 {
			seconds, nanos = seconds-1, nanos+1e9
		}
		return fmt.Sprintf("D:%d.%09d", seconds, nanos)
	case traits.Mapper:
		entries := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			entries = append(entries, show(k)+"="+show(v.Get(k)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ",") + "}"
	case traits.Lister:
		items := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, show(it.Next()))
		}
		return "[" + strings.Join(items, ",") + "]"
	case ref.Type:
		return "y:" + v.TypeName()
	}
	return "no form"
}

type subject struct {
	env  *cel.Env
	vars any
}

func (s subject) evaluate(expr string) (result string, why string, checked *cel.Ast) {
	defer func() {
		if r := recover(); r != nil {
			result, why = "!", fmt.Sprint("panic: ", r)
		}
	}()
	ast, issues := s.env.Compile(expr)
	if issues.Err() != nil {
		return "?", issues.Err().Error(), nil
	}
	// As here, a constant pattern is compiled with the program.
	program, err := s.env.Program(ast, cel.OptimizeRegex(interpreter.MatchesRegexOptimization))
	if err != nil {
		return "?", err.Error(), ast
	}
	v, _, err := program.Eval(s.vars)
	if err != nil {
		return "!", err.Error(), ast
	}
	return show(v), "", ast
}

// --- Classes of differences that are known ----------------------------------------------------------

// A key of a map literal that is no bool, int, uint or string, or is not known to be one.
func hasOtherKey(checked *cel.Ast) bool {
	found := false
	if checked == nil {
		return false
	}
	native := checked.NativeRep()
	celast.PostOrderVisit(native.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() != celast.MapKind {
			return
		}
		for _, entry := range e.AsMap().Entries() {
			switch native.GetType(entry.AsMapEntry().Key().ID()).Kind() {
			case types.BoolKind, types.IntKind, types.UintKind, types.StringKind:
			default:
				found = true
			}
		}
	}))
	return found
}

// A call of int() with a duration, or with what is not known not to be one.
func ofDuration(checked *cel.Ast) bool {
	found := false
	if checked == nil {
		return false
	}
	native := checked.NativeRep()
	celast.PostOrderVisit(native.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() == celast.CallKind && e.AsCall().FunctionName() == "int" && len(e.AsCall().Args()) == 1 {
			kind := native.GetType(e.AsCall().Args()[0].ID()).Kind()
			found = found || kind == types.DurationKind || kind == types.DynKind
		}
	}))
	return found
}

var (
	dynIndexed = regexp.MustCompile(`(js[.\w]*|\))\[`)
	otherKey   = regexp.MustCompile(`[{,](d|t|D|b|y):[^=,{}\[\]]*=`)
	macroCall  = regexp.MustCompile(`\)\.(all|exists|exists_one|map|filter)\(`)
)

var indexedByDouble = regexp.MustCompile(`'_\[_\]' applied to '\(list\(.*\), (double|uint)\)'`)

func sorted(text string) string {
	items := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[]{},=", r) })
	sort.Strings(items)
	return strings.Join(items, ",")
}

func failed(result string) bool { return result == "!" || result == "?" }

var offset = regexp.MustCompile(`timestamp\('[^']*[+-]\d\d:\d\d'\)`)

type difference struct {
	expr, ours, theirs, why string
	checked                 *cel.Ast
	again                   func() string // evaluates it once more with cel-go
}

var classes = []struct {
	name    string
	applies func(d difference) bool
}{
	{"rejected by one, fails in the other", func(d difference) bool {
		return failed(d.ours) && failed(d.theirs)
	}},
	{"type of an element that is indexed out of a dyn", func(d difference) bool {
		return failed(d.theirs) && dynIndexed.MatchString(d.expr) && strings.Contains(d.why, "no such overload") ||
			d.theirs == "?" && dynIndexed.MatchString(d.expr)
	}},
	{"negated duration", func(d difference) bool {
		return d.theirs == "?" && strings.Contains(d.why, "'-_' applied to '(duration)'")
	}},
	{"int() of a duration", func(d difference) bool {
		return failed(d.ours) && strings.Contains(d.expr, "int(") && !failed(d.theirs) && ofDuration(d.checked)
	}},
	{"list indexed by a double", func(d difference) bool {
		return d.theirs == "?" && indexedByDouble.MatchString(d.why)
	}},
	{"order of a map's keys", func(d difference) bool {
		return len(d.ours) == len(d.theirs) && sorted(d.ours) == sorted(d.theirs)
	}},
	{"remainder of the least int and -1", func(d difference) bool {
		return d.theirs == "!" && strings.Contains(d.why, "integer overflow") && strings.Contains(d.expr, "%")
	}},
	{"NaN ordered with a value of another type", func(d difference) bool {
		return d.ours == "!" && strings.Contains(d.expr, "nan") && strings.ContainsAny(d.expr, "<>")
	}},
	{"macro over an empty string or bytes", func(d difference) bool {
		return d.ours == "!" && !failed(d.theirs) && macroCall.MatchString(d.expr)
	}},
	{"repeated key of a map literal", func(d difference) bool {
		return d.ours == "!" && !failed(d.theirs) && strings.Contains(d.expr, "{")
	}},
	{"milliseconds of a duration", func(d difference) bool {
		return strings.Contains(d.expr, ".getMilliseconds()")
	}},
	{"double beside 2^63 ordered with an integer", func(d difference) bool {
		return strings.Contains(d.expr, "9223372036854775807.0") && strings.ContainsAny(d.expr, "<>")
	}},
	{"name selected from a map without string keys", func(d difference) bool {
		return d.ours == "?" && (strings.Contains(d.expr, "mi.") || strings.Contains(d.expr, ": ") && strings.Contains(d.expr, "}."))
	}},
	{"cel-go panics", func(d difference) bool {
		return strings.Contains(d.why, "internal error") || strings.HasPrefix(d.why, "panic")
	}},
	{"key of a map literal of a type that is no key type", func(d difference) bool {
		return failed(d.ours) && (hasOtherKey(d.checked) || strings.Contains(d.expr, "{js") || otherKey.MatchString(d.theirs))
	}},
	{"null beside a value of another type", func(d difference) bool {
		return d.theirs == "?" && strings.Contains(d.why, "null")
	}},
	{"types compared by their parameters", func(d difference) bool {
		return d.theirs == "?" && strings.Contains(d.why, "type(")
	}},
	{"variable that holds a type", func(d difference) bool {
		return d.theirs == "?" && strings.Contains(d.why, "reference to undefined type")
	}},
	{"two signs before a literal", func(d difference) bool {
		return d.theirs == "?" && strings.Contains(d.why, "invalid int literal") &&
			strings.Contains(d.expr, "--9223372036854775808")
	}},
	{"two signs cancelled before the operand is judged", func(d difference) bool {
		return failed(d.ours) && !failed(d.theirs) && (strings.Contains(d.expr, "--") || strings.Contains(d.expr, "!!"))
	}},
	{"element type of an empty list", func(d difference) bool {
		return d.theirs == "?" && strings.Contains(d.expr, "[]")
	}},
	{"text of a timestamp that was written with an offset", func(d difference) bool {
		return strings.Contains(d.expr, "string(") && offset.MatchString(d.expr)
	}},
	{"text of a large or small double", func(d difference) bool {
		return strings.Contains(d.expr, "string(") && d.ours != "?" && d.theirs != "?"
	}},
	// One element of the keys of a map, say: then cel-go does not agree with itself.
	{"order of a map's keys", func(d difference) bool {
		for i := 0; i < 64; i++ {
			if d.again() != d.theirs {
				return true
			}
		}
		return false
	}},
}

// --- Expressions ------------------------------------------------------------------------------------

type maker struct {
	*rand.Rand
	scope []variable // of macros
	count int
}

type variable struct{ name, kind string }

func (m *maker) pick(options ...string) string { return options[m.Intn(len(options))] }

var globals = map[string][]string{
	"int": {"i", "k", "big"}, "uint": {"u", "huge"}, "double": {"d", "z", "nan", "inf"},
	"bool": {"p", "q"}, "string": {"s", "e", "num"}, "timestamp": {"t", "t0"}, "duration": {"w", "v"},
	"list(int)": {"li", "none"}, "list(string)": {"ls"}, "list(double)": {"ld"},
	"map(string, int)": {"m"}, "map(int, string)": {"mi"},
	"dyn": {"js", "js.n", "js.f", "js.id", "js.ok", "js.no", "js.tags", "js.sub", "js.sub.x.y", "js.sub.items", "js.absent", "js.sub.items[1].price", "js.tags[0]", "js['n']"},
}

var literals = map[string][]string{
	"int":       {"0", "1", "2", "-1", "7", "9223372036854775807", "-9223372036854775808", "0x1F", "100"},
	"uint":      {"0u", "1u", "2u", "18446744073709551615u", "0xFFu"},
	"double":    {"0.0", "1.0", "-1.5", "1e308", "2.5", "9007199254740993.0", "1e-7", "100.0", "9223372036854775807.0"},
	"bool":      {"true", "false"},
	"string":    {"''", "'a'", "'hello'", `"é"`, `'\u00e9\n'`, "'😀x'", "'10'", "'true'", "r'\\d'", "'2024-05-15T15:00:00Z'", "'1h30m'", "'-1.5'"},
	"bytes":     {"b''", "b'abc'", `b'\xff\x00'`, "b'é'"},
	"timestamp": {"timestamp('2024-02-29T23:59:59.5Z')", "timestamp('1969-12-31T23:59:59-01:00')", "timestamp('9999-12-31T23:59:59.999999999Z')", "timestamp(0)"},
	"duration":  {"duration('0s')", "duration('1h2m3.5s')", "duration('-90s')", "duration('100ms')", "duration('1us')", "duration('3000000h')"},
	"dyn":       {"dyn(1)", "dyn(1u)", "dyn(1.0)", "dyn('a')", "dyn(true)", "null", "dyn([1])", "dyn({'a': 1})", "dyn(b'a')"},
}

var kinds = []string{"int", "uint", "double", "bool", "string", "bytes", "timestamp", "duration",
	"list(int)", "list(string)", "list(double)", "map(string, int)", "map(int, string)", "dyn"}

func (m *maker) any() string { return kinds[m.Intn(len(kinds))] }

func (m *maker) leaf(kind string) string {
	for _, v := range m.scope {
		if v.kind == kind && m.Intn(2) == 0 {
			return v.name
		}
	}
	names, written := globals[kind], literals[kind]
	if len(names) > 0 && (len(written) == 0 || m.Intn(2) == 0) {
		return m.pick(names...)
	}
	if len(written) > 0 {
		return m.pick(written...)
	}
	return "[]"
}

// One in forty is of a type that does not belong there.
func (m *maker) make(kind string, depth int) string {
	if m.Intn(40) == 0 {
		kind = m.any()
	}
	if depth <= 0 || m.Intn(6) == 0 {
		return m.leaf(kind)
	}
	d := depth - 1
	if m.Intn(8) == 0 {
		return "(" + m.make("bool", d) + " ? " + m.make(kind, d) + " : " + m.make(kind, d) + ")"
	}
	if strings.HasPrefix(kind, "list(") {
		return m.list(kind, d)
	}
	switch kind {
	case "int":
		return m.integer(d)
	case "uint":
		return m.pick2(
			func() string {
				return "(" + m.make(kind, d) + m.pick(" + ", " - ", " * ", " / ", " % ") + m.make(kind, d) + ")"
			},
			func() string { return "uint(" + m.make(m.pick("int", "double", "string", "uint", "dyn"), d) + ")" })
	case "double":
		return m.pick2(
			func() string {
				return "(" + m.make(kind, d) + m.pick(" + ", " - ", " * ", " / ") + m.make(kind, d) + ")"
			},
			func() string { return "double(" + m.make(m.pick("int", "uint", "string", "double", "dyn"), d) + ")" },
			func() string { return "-" + m.make(kind, d) },
			func() string { return m.make("list(double)", d) + "[" + m.make("int", d) + "]" })
	case "bool":
		return m.boolean(d)
	case "string":
		return m.pick2(
			func() string { return "(" + m.make(kind, d) + " + " + m.make(kind, d) + ")" },
			func() string {
				return "string(" + m.make(m.pick("int", "uint", "double", "bool", "bytes", "timestamp", "duration", "dyn"), d) + ")"
			},
			func() string { return m.make("list(string)", d) + "[" + m.make("int", d) + "]" },
			func() string { return m.make("map(int, string)", d) + "[" + m.make("int", d) + "]" })
	case "bytes":
		return m.pick2(
			func() string { return "bytes(" + m.make("string", d) + ")" },
			func() string { return "(" + m.make(kind, d) + " + " + m.make(kind, d) + ")" })
	case "timestamp":
		return m.pick2(
			func() string { return "(" + m.make(kind, d) + m.pick(" + ", " - ") + m.make("duration", d) + ")" },
			func() string { return "(" + m.make("duration", d) + " + " + m.make(kind, d) + ")" },
			func() string { return "timestamp(" + m.make(m.pick("string", "int", "timestamp"), d) + ")" })
	case "duration":
		return m.pick2(
			func() string { return "(" + m.make(kind, d) + m.pick(" + ", " - ") + m.make(kind, d) + ")" },
			func() string { return "(" + m.make("timestamp", d) + " - " + m.make("timestamp", d) + ")" },
			func() string { return "duration(" + m.make("string", d) + ")" })
	case "map(string, int)":
		return "{" + m.pick("'a'", "'b'", m.make("string", d)) + ": " + m.make("int", d) + ", 'k': " + m.make("int", d) + "}"
	case "map(int, string)":
		return "{" + m.make("int", d) + ": " + m.make("string", d) + "}"
	}
	return m.pick2(
		func() string { return "dyn(" + m.make(m.any(), d) + ")" },
		func() string { return "[" + m.make("dyn", d) + ", " + m.make("dyn", d) + "]" },
		func() string { return m.make("dyn", d) + m.pick(".a", ".x", ".n", "[0]", "['a']", "[1u]", "[1.0]") },
		func() string {
			return "(" + m.make("dyn", d) + m.pick(" + ", " - ", " * ", " / ") + m.make("dyn", d) + ")"
		},
		func() string { return "type(" + m.make(m.any(), d) + ")" })
}

func (m *maker) pick2(options ...func() string) string { return options[m.Intn(len(options))]() }

func (m *maker) integer(d int) string {
	return m.pick2(
		func() string {
			return "(" + m.make("int", d) + m.pick(" + ", " - ", " * ", " / ", " % ") + m.make("int", d) + ")"
		},
		func() string { return "-" + m.make("int", d) },
		func() string {
			return "size(" + m.make(m.pick("string", "bytes", "list(int)", "list(string)", "map(string, int)", "dyn"), d) + ")"
		},
		func() string {
			return "int(" + m.make(m.pick("double", "uint", "string", "timestamp", "int", "dyn"), d) + ")"
		},
		func() string { return m.make("list(int)", d) + "[" + m.make("int", d) + "]" },
		func() string { return m.make("map(string, int)", d) + "[" + m.make("string", d) + "]" },
		func() string { return "m." + m.pick("a", "b", "zz") },
		func() string {
			return m.make("timestamp", d) + "." + m.pick("getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getHours", "getMinutes", "getSeconds", "getMilliseconds") +
				m.pick("()", "()", "('+02:00')", "('-11:30')")
		},
		func() string {
			return m.make("duration", d) + "." + m.pick("getHours", "getMinutes", "getSeconds") + "()"
		})
}

func (m *maker) boolean(d int) string {
	return m.pick2(
		func() string { return "(" + m.make("bool", d) + m.pick(" && ", " || ") + m.make("bool", d) + ")" },
		func() string { return "(" + m.make("bool", d) + m.pick(" && ", " || ") + m.make("bool", d) + ")" },
		func() string { return "!" + m.make("bool", d) },
		func() string {
			kind := m.pick("int", "uint", "double", "string", "bool", "bytes", "timestamp", "duration", "dyn")
			return "(" + m.make(kind, d) + m.pick(" < ", " <= ", " > ", " >= ") + m.make(kind, d) + ")"
		},
		func() string {
			a, b := m.pick("int", "uint", "double"), m.pick("int", "uint", "double")
			return "(" + m.make(a, d) + m.pick(" < ", " <= ", " > ", " >= ") + m.make(b, d) + ")"
		},
		func() string {
			kind := m.any()
			return "(" + m.make(kind, d) + m.pick(" == ", " != ") + m.make(kind, d) + ")"
		},
		func() string {
			return "(dyn(" + m.make(m.any(), d) + ")" + m.pick(" == ", " != ") + m.make(m.any(), d) + ")"
		},
		func() string {
			kind := m.pick("int", "string", "double")
			return "(" + m.make(kind, d) + " in " + m.make("list("+kind+")", d) + ")"
		},
		func() string { return "(" + m.make("string", d) + " in " + m.make("map(string, int)", d) + ")" },
		func() string { return "(" + m.make("dyn", d) + " in " + m.make("dyn", d) + ")" },
		func() string {
			return "has(" + m.pick("m.a", "m.zz", "js.id", "js.sub.x", "js.sub.zz", "js.absent.x", "js.no.x", "js.no", "js.tags") + ")"
		},
		func() string {
			return m.make("string", d) + "." + m.pick("startsWith", "endsWith", "contains") + "(" + m.make("string", d) + ")"
		},
		func() string {
			return m.make("string", d) + ".matches(" + m.pick("'^h.*'", "'[a-z]+'", `r'^\d+$'`, "''", "'(a|b)c?'", "'(?i)HELLO'", "'é.'", "'('", "'^[^a]{2,3}$'") + ")"
		},
		func() string { return m.macro(m.pick("all", "exists", "exists_one"), d) },
		func() string { return "bool(" + m.make(m.pick("string", "bool", "dyn"), d) + ")" },
		func() string {
			return "(type(" + m.make(m.any(), d) + ") == " + m.pick("int", "uint", "double", "string", "list", "map", "null_type", "bool", "type", "bytes") + ")"
		})
}

func (m *maker) withVariable(kind string, body func(string) string) string {
	m.count++
	v := variable{fmt.Sprintf("x%d", m.count), kind}
	m.scope = append([]variable{v}, m.scope...)
	defer func() { m.scope = m.scope[1:] }()
	return body(v.name)
}

func (m *maker) macro(name string, d int) string {
	kind := m.pick("int", "string", "double", "dyn")
	from := "list(" + kind + ")"
	if kind == "dyn" {
		from = "dyn"
	} else if kind == "string" && m.Intn(3) == 0 {
		from = "map(string, int)"
	}
	over := m.make(from, d)
	return m.withVariable(kind, func(x string) string { return over + "." + name + "(" + x + ", " + m.make("bool", d) + ")" })
}

func (m *maker) list(kind string, d int) string {
	item := strings.TrimSuffix(strings.TrimPrefix(kind, "list("), ")")
	from := m.pick("int", "string", "double")
	return m.pick2(
		func() string {
			items := []string{}
			for n := m.Intn(4); n > 0; n-- {
				items = append(items, m.make(item, d))
			}
			return "[" + strings.Join(items, ", ") + "]"
		},
		func() string { return "(" + m.make(kind, d) + " + " + m.make(kind, d) + ")" },
		func() string {
			over := m.make(kind, d)
			return m.withVariable(item, func(x string) string { return over + ".filter(" + x + ", " + m.make("bool", d) + ")" })
		},
		func() string {
			over := m.make("list("+from+")", d)
			return m.withVariable(from, func(x string) string {
				if m.Intn(3) == 0 {
					return over + ".map(" + x + ", " + m.make("bool", d) + ", " + m.make(item, d) + ")"
				}
				return over + ".map(" + x + ", " + m.make(item, d) + ")"
			})
		})
}

// --- The run ----------------------------------------------------------------------------------------

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func newSubject(path string) subject {
	text, err := os.ReadFile(path)
	check(err)
	given, err := typed.Decode(text)
	check(err)
	options := []cel.EnvOption{cel.CrossTypeNumericComparisons(true), cel.EnableErrorOnBadPresenceTest(true)}
	vars := map[string]any{}
	for name, v := range given {
		entry := v.(map[string]any)
		value, err := typed.Value(entry["value"])
		check(err)
		vars[name] = types.DefaultTypeAdapter.NativeToValue(value)
		options = append(options, cel.Variable(name, typed.Type(entry["type"].(string))))
	}
	env, err := cel.NewEnv(options...)
	check(err)
	return subject{env, vars}
}

func main() {
	cases := flag.Int("cases", 100000, "how many")
	seed := flag.Int64("seed", 1, "of the generator")
	depth := flag.Int("depth", 4, "of expressions")
	most := flag.Int("show", 20, "unexplained differences to show")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	s := newSubject(flag.Arg(1))
	ours := exec.Command(flag.Arg(0), flag.Arg(1))
	ours.Stderr = os.Stderr
	in, err := ours.StdinPipe()
	check(err)
	out, err := ours.StdoutPipe()
	check(err)
	check(ours.Start())
	exprs := make(chan string, 1<<16)
	go func() {
		m := &maker{Rand: rand.New(rand.NewSource(*seed))}
		w := bufio.NewWriter(in)
		for i := 0; i < *cases; i++ {
			m.count = 0
			expr := m.make(m.any(), 1+m.Intn(*depth))
			exprs <- expr
			fmt.Fprintln(w, expr)
		}
		w.Flush()
		in.Close()
		close(exprs)
	}()
	results := bufio.NewReaderSize(out, 1<<20)
	counts := map[string]int{}
	explained := map[string]int{}
	different := 0
	for expr := range exprs {
		got, err := results.ReadString('\n')
		if err != nil && err != io.EOF {
			check(err)
		}
		got = strings.TrimSuffix(got, "\n")
		wanted, why, checked := s.evaluate(expr)
		switch {
		case got == wanted && got == "?":
			counts["rejected by both"]++
		case got == wanted && got == "!":
			counts["failed in both"]++
		case got == wanted:
			counts["same value"]++
		default:
			name := ""
			again := func() string {
				result, _, _ := s.evaluate(expr)
				return result
			}
			for _, class := range classes {
				if class.applies(difference{expr, got, wanted, why, checked, again}) {
					name = class.name
					break
				}
			}
			if name != "" {
				explained[name]++
			} else if different++; different <= *most {
				fmt.Printf("%s\n    ours %s, theirs %s %s\n", expr, got, wanted, strings.SplitN(why, "\n", 2)[0])
			}
		}
	}
	check(ours.Wait())
	fmt.Printf("%d cases, seed %d\n", *cases, *seed)
	for _, sums := range []map[string]int{counts, explained} {
		names := []string{}
		for name := range sums {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			fmt.Printf("%9d  %s\n", sums[name], name)
		}
	}
	fmt.Printf("%9d  unexplained\n", different)
	if different > 0 {
		os.Exit(1)
	}
}
