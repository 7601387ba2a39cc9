// cel-go on the benchmark's cases and on the conformance tests.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"ledgergate/bench/peers/cel/typed"
)

const (
	batches = 15
	batchNS = 2e6
)

// The two functions that the packs have beyond CEL.
func packFunctions() []cel.EnvOption {
	list := cel.ListType(cel.TypeParamType("A"))
	return []cel.EnvOption{
		cel.Function("range", cel.Overload("range_int", []*cel.Type{cel.IntType}, cel.ListType(cel.IntType),
			cel.UnaryBinding(func(n ref.Val) ref.Val {
				out := make([]ref.Val, n.(types.Int))
				for i := range out {
					out[i] = types.Int(i)
				}
				return types.DefaultTypeAdapter.NativeToValue(out)
			}))),
		cel.Function("sum", cel.Overload("sum_list", []*cel.Type{list}, cel.DoubleType,
			cel.UnaryBinding(func(v ref.Val) ref.Val {
				total := 0.0
				for it := v.(traits.Lister).Iterator(); it.HasNext() == types.True; {
					switch x := it.Next().(type) {
					case types.Double:
						total += float64(x)
					case types.Int:
						total += float64(x)
					default:
						return types.MaybeNoSuchOverloadErr(x)
					}
				}
				return types.Double(total)
			}))),
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// lines calls do with every line of the file.
func lines(path string, do func(typed.Object)) {
	f, err := os.Open(path)
	check(err)
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		if len(s.Bytes()) > 0 {
			o, err := typed.Decode(s.Bytes())
			check(err)
			do(o)
		}
	}
	check(s.Err())
}

func medianNS(once func()) float64 {
	rounds := 1
	for {
		start := time.Now()
		for i := 0; i < rounds; i++ {
			once()
		}
		if time.Since(start) >= batchNS {
			break
		}
		rounds *= 2
	}
	figures := make([]float64, batches)
	for b := range figures {
		start := time.Now()
		for i := 0; i < rounds; i++ {
			once()
		}
		figures[b] = float64(time.Since(start).Nanoseconds()) / float64(rounds)
	}
	sort.Float64s(figures)
	return figures[batches/2]
}

func timeCase(o typed.Object) {
	options := packFunctions()
	vars := map[string]any{}
	for name, given := range o["bindings"].(map[string]any) {
		value, err := typed.Value(given)
		check(err)
		vars[name] = value
		options = append(options, cel.Variable(name, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	check(err)
	expr := o["expr"].(string)
	parsed, issues := env.Compile(expr)
	check(issues.Err())
	// Constant subexpressions are folded when the program is made, as ours are.
	program, err := env.Program(parsed, cel.EvalOptions(cel.OptOptimize))
	check(err)
	activation, err := cel.NewActivation(vars)
	check(err)
	wanted, err := typed.Value(o["expect"])
	check(err)
	got, _, err := program.Eval(activation)
	check(err)
	if types.DefaultTypeAdapter.NativeToValue(wanted).Equal(got) != types.True {
		check(fmt.Errorf("wrong: %s: %v", expr, got))
	}
	eval := medianNS(func() { program.Eval(activation) })
	compile := medianNS(func() { env.Compile(expr) })
	plan := medianNS(func() { env.Program(parsed, cel.EvalOptions(cel.OptOptimize)) })
	fmt.Printf("{\"eval_ns\":%.1f,\"compile_ns\":%.1f,\"plan_ns\":%.1f}\n", eval, compile, plan)
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "time" {
		lines(os.Args[2], timeCase)
		return
	}
	if len(os.Args) >= 3 && os.Args[1] == "conformance" {
		paths, err := filepath.Glob(filepath.Join(os.Args[2], "*.jsonl"))
		check(err)
		for _, path := range paths {
			conform(path, len(os.Args) > 3)
		}
		return
	}
	fmt.Fprintln(os.Stderr, "usage: celgo time CASES | celgo conformance FOLDER [verbose]")
	os.Exit(2)
}
