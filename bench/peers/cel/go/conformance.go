package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/ext"

	"ledgergate/bench/peers/cel/typed"
)

// cel.block and its companions as the tests write them. cel-go has the function cel.@block, made by
// its optimizer; the macros are the runner's.
func blockMacros() cel.EnvOption {
	isCel := func(target ast.Expr) bool {
		return target != nil && target.Kind() == ast.IdentKind && target.AsIdent() == "cel"
	}
	block := func(f cel.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
		if !isCel(target) {
			return nil, nil
		}
		return f.NewCall("cel.@block", args...), nil
	}
	named := func(pattern string) cel.MacroFactory {
		return func(f cel.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *cel.Error) {
			if !isCel(target) {
				return nil, nil
			}
			numbers := []string{}
			for _, a := range args {
				if a.Kind() != ast.LiteralKind {
					return nil, f.NewError(a.ID(), "expected a literal")
				}
				numbers = append(numbers, fmt.Sprint(a.AsLiteral().Value()))
			}
			return f.NewIdent(pattern + strings.Join(numbers, ":")), nil
		}
	}
	return cel.Macros(
		cel.ReceiverMacro("block", 2, block),
		cel.ReceiverMacro("index", 1, named("@index")),
		cel.ReceiverMacro("iterVar", 2, named("@it:")),
		cel.ReceiverMacro("accuVar", 2, named("@ac:")))
}

func libraries() []cel.EnvOption {
	options := []cel.EnvOption{
		cel.OptionalTypes(), cel.EagerlyValidateDeclarations(true),
		cel.EnableErrorOnBadPresenceTest(true), cel.EnableIdentifierEscapeSyntax(),
		ext.Bindings(), ext.Encoders(), ext.Lists(), ext.Math(), ext.Network(), ext.Protos(),
		ext.Regex(), ext.Sets(), ext.Strings(), ext.TwoVarComprehensions(), blockMacros(),
	}
	for i := 0; i < 30; i++ { // what cel.index(i) stands for
		options = append(options, cel.Variable(fmt.Sprintf("@index%d", i), cel.DynType))
	}
	return options
}

// Names of types as the tests write them.
func typeName(t *cel.Type) string {
	var params []string
	for _, p := range t.Parameters() {
		params = append(params, typeName(p))
	}
	name := t.DeclaredTypeName()
	switch {
	case t.Kind() == types.TypeParamKind:
		return "param(" + name + ")"
	case name == "google.protobuf.Timestamp":
		name = "timestamp"
	case name == "google.protobuf.Duration":
		name = "duration"
	}
	if len(params) == 0 {
		return name
	}
	return name + "(" + strings.Join(params, ", ") + ")"
}

func declare(o typed.Object) []cel.EnvOption {
	var options []cel.EnvOption
	declared := map[string]bool{}
	list, _ := o["type_env"].([]any)
	for _, e := range list {
		d := e.(map[string]any)
		name := d["name"].(string)
		overloads, ok := d["overloads"].([]any)
		if !ok {
			declared[name] = true
			options = append(options, cel.Variable(name, typed.Type(d["type"].(string))))
			continue
		}
		var made []cel.FunctionOpt
		for _, each := range overloads {
			overload := each.(map[string]any)
			var params []*cel.Type
			for _, p := range overload["params"].([]any) {
				params = append(params, typed.Type(p.(string)))
			}
			make := cel.Overload
			if overload["member"] == true {
				make = cel.MemberOverload
			}
			made = append(made, make(overload["id"].(string), params, typed.Type(overload["result"].(string))))
		}
		options = append(options, cel.Function(name, made...))
	}
	bindings, _ := o["bindings"].(map[string]any)
	for name := range bindings {
		if !declared[name] {
			options = append(options, cel.Variable(name, cel.DynType))
		}
	}
	if container, ok := o["container"].(string); ok {
		options = append(options, cel.Container(container))
	}
	return options
}

// Says why the case failed; "" if it passed.
func run(o typed.Object) (why string) {
	defer func() {
		if r := recover(); r != nil {
			why = fmt.Sprint("panic: ", r)
		}
	}()
	expect := o["expect"].(map[string]any)
	_, wantsError := expect["error"]
	env, err := cel.NewEnv(append(libraries(), declare(o)...)...)
	if err != nil {
		return err.Error()
	}
	parsed, issues := env.Parse(o["expr"].(string))
	checked := o["disable_check"] != true
	if issues.Err() == nil && checked {
		parsed, issues = env.Check(parsed)
	}
	if issues.Err() != nil {
		if wantsError && checked {
			return ""
		}
		return issues.Err().Error()
	}
	if wanted, ok := expect["type"].(string); ok && checked {
		if got := typeName(parsed.OutputType()); got != wanted {
			return "type " + got
		}
	}
	if o["check_only"] == true {
		return ""
	}
	program, err := env.Program(parsed)
	var got ref.Val
	if err == nil {
		vars := map[string]any{}
		bindings, _ := o["bindings"].(map[string]any)
		for name, given := range bindings {
			if vars[name], err = typed.Value(given.(map[string]any)["value"]); err != nil {
				return err.Error()
			}
		}
		got, _, err = program.Eval(vars)
	}
	if wantsError || err != nil {
		if wantsError && err != nil {
			return ""
		}
		return fmt.Sprint(got, err)
	}
	wanted, err := typed.Value(expect["value"])
	if err != nil {
		return err.Error()
	}
	if !typed.Same(types.DefaultTypeAdapter.NativeToValue(wanted), got) {
		return fmt.Sprint("got ", got)
	}
	return ""
}

func conform(path string, verbose bool) {
	sum := map[string]int{"passed": 0, "failed": 0}
	lines(path, func(o typed.Object) {
		if o["needs_proto"] == true {
			return
		}
		why := run(o)
		if why == "" {
			sum["passed"]++
			return
		}
		sum["failed"]++
		if verbose {
			fmt.Printf("%v/%v: %v\n    %s\n", o["section"], o["name"], o["expr"], strings.ReplaceAll(why, "\n", " "))
		}
	})
	out, _ := json.Marshal(map[string]any{"file": strings.TrimSuffix(filepath.Base(path), ".jsonl"),
		"passed": sum["passed"], "failed": sum["failed"], "unsupported": 0})
	fmt.Println(string(out))
}
