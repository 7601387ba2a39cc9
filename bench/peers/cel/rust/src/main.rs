//! The crate `cel` on the benchmark's cases and on the conformance tests.
//!
//!     cel-rust time CASES
//!     cel-rust conformance FOLDER [verbose]
use base64::Engine;
use cel::objects::{Key, Map};
use cel::{extensions, Context, Env, Program, Value};
use serde_json::{json, Value as Json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

const BATCHES: usize = 15;
const BATCH_NS: u128 = 2_000_000;

// --- Typed values ---------------------------------------------------------------------------------

fn from_json(v: &Json) -> Value {
    match v {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => Value::Float(n.as_f64().unwrap()),
        Json::String(s) => Value::String(Arc::new(s.clone())),
        Json::Array(a) => Value::List(Arc::new(a.iter().map(from_json).collect())),
        Json::Object(o) => {
            let pairs = o.iter().map(|(k, v)| (Key::String(Arc::new(k.clone())), from_json(v)));
            Value::Map(Map { map: Arc::new(pairs.collect()) })
        }
    }
}

fn key(v: Value) -> Key {
    match v {
        Value::Int(i) => Key::Int(i),
        Value::UInt(u) => Key::Uint(u),
        Value::Bool(b) => Key::Bool(b),
        Value::String(s) => Key::String(s),
        other => panic!("no key: {other:?}"),
    }
}

fn seconds(v: &Json) -> (i64, i64) {
    (v["seconds"].as_str().unwrap().parse().unwrap(), v["nanos"].as_i64().unwrap_or(0))
}

fn read(typed: &Json) -> Option<Value> {
    let (kind, given) = typed.as_object()?.iter().next()?;
    let text = given.as_str().unwrap_or("");
    Some(match kind.as_str() {
        "json" => from_json(given),
        "null" => Value::Null,
        "bool" => Value::Bool(given.as_bool()?),
        "int" => Value::Int(text.parse().ok()?),
        "uint" => Value::UInt(text.parse().ok()?),
        "double" => Value::Float(text.replace("Infinity", "inf").parse().ok()?),
        "string" => Value::String(Arc::new(text.to_string())),
        "bytes" => Value::Bytes(Arc::new(base64::prelude::BASE64_STANDARD.decode(text).ok()?)),
        "list" => Value::List(Arc::new(given.as_array()?.iter().map(read).collect::<Option<_>>()?)),
        "map" => {
            let mut map = HashMap::new();
            for pair in given.as_array()? {
                map.insert(key(read(&pair[0])?), read(&pair[1])?);
            }
            Value::Map(Map { map: Arc::new(map) })
        }
        "timestamp" => {
            let (s, n) = seconds(given);
            let n = if n < 0 { n + 1_000_000_000 } else { n };
            Value::Timestamp(chrono::DateTime::from_timestamp(s, n as u32)?.fixed_offset())
        }
        "duration" => {
            let (s, n) = seconds(given);
            Value::Duration(chrono::Duration::try_seconds(s)? + chrono::Duration::nanoseconds(n))
        }
        _ => return None,
    })
}

/// Strict: by type and value, any NaN with any other.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(),
        (Value::List(x), Value::List(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(v, w)| same(v, w))
        }
        (Value::Map(x), Value::Map(y)) => {
            x.map.len() == y.map.len()
                && x.map.iter().all(|(k, v)| y.map.get(k).is_some_and(|w| same(v, w)))
        }
        _ => std::mem::discriminant(a) == std::mem::discriminant(b) && a == b,
    }
}

/// `got` is the type named `name`: as a value it shows its name.
fn is_type(got: &Value, name: &str) -> bool {
    format!("{got:?}").contains(&format!("\"{name}\""))
}

// --- Time -----------------------------------------------------------------------------------------

fn median_ns(mut once: impl FnMut()) -> f64 {
    let mut rounds = 1usize;
    loop {
        let start = Instant::now();
        for _ in 0..rounds {
            once();
        }
        if start.elapsed().as_nanos() >= BATCH_NS {
            break;
        }
        rounds *= 2;
    }
    let mut figures: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..rounds {
                once();
            }
            start.elapsed().as_nanos() as f64 / rounds as f64
        })
        .collect();
    figures.sort_by(f64::total_cmp);
    figures[BATCHES / 2]
}

fn range(n: i64) -> Value {
    Value::List(Arc::new((0..n).map(Value::Int).collect()))
}

fn sum(list: Arc<Vec<Value>>) -> f64 {
    list.iter()
        .map(|v| match v {
            Value::Float(f) => *f,
            Value::Int(i) => *i as f64,
            _ => f64::NAN,
        })
        .sum()
}

fn environment() -> Env {
    let mut env = Env::stdlib();
    for add in [extensions::strings, extensions::math, extensions::lists, extensions::encoders] {
        env.add_extension(add).unwrap();
    }
    env
}

fn time_case(given: &Json, env: &Arc<Env>) -> Result<Json, String> {
    let source = given["expr"].as_str().unwrap();
    let mut context = Context::with_env(Arc::clone(env));
    let _ = context.add_function("range", range);
    let _ = context.add_function("sum", sum);
    for (name, typed) in given["bindings"].as_object().unwrap() {
        context.add_variable_from_value(name.as_str(), read(typed).ok_or("a value it does not have")?);
    }
    let program = env.compile(source).map_err(|e| e.to_string())?;
    let got = program.execute(&context).map_err(|e| e.to_string())?;
    if got != read(&given["expect"]).unwrap() {
        return Err(format!("{got:?}"));
    }
    Ok(json!({
        "eval_ns": median_ns(|| { std::hint::black_box(Value::resolve_val(program.expression(), &context).is_ok()); }),
        "compile_ns": median_ns(|| { std::hint::black_box(env.compile(source).is_ok()); }),
    }))
}

// --- Conformance ----------------------------------------------------------------------------------

const PASSED: u8 = 0;
const FAILED: u8 = 1;
const UNSUPPORTED: u8 = 2;

fn judge(given: &Json) -> (u8, String) {
    let expect = &given["expect"];
    let wants_error = expect.get("error").is_some();
    let mut env = environment();
    if let Some(container) = given["container"].as_str() {
        if env.set_container(container).is_err() {
            return (UNSUPPORTED, "container".to_string());
        }
    }
    if given["check_only"] == json!(true) {
        return (UNSUPPORTED, "no checker".to_string());
    }
    for declared in given["type_env"].as_array().into_iter().flatten() {
        if declared.get("overloads").is_some() {
            return (UNSUPPORTED, "declares a function without a body".to_string());
        }
    }
    let program: Program = match env.compile(given["expr"].as_str().unwrap()) {
        Ok(program) => program,
        Err(e) if wants_error => return (PASSED, e.to_string()),
        Err(e) => return (FAILED, e.to_string()),
    };
    let mut context = Context::with_env(Arc::new(env));
    for (name, bound) in given["bindings"].as_object().into_iter().flatten() {
        match read(&bound["value"]) {
            Some(value) => context.add_variable_from_value(name.as_str(), value),
            None => return (UNSUPPORTED, "a binding it does not have".to_string()),
        }
    }
    match program.execute(&context) {
        Ok(got) if wants_error => (FAILED, format!("{got:?}")),
        Err(e) => (if wants_error { PASSED } else { FAILED }, e.to_string()),
        Ok(got) => {
            let wanted = &expect["value"];
            let good = match wanted.get("type") {
                Some(name) => is_type(&got, name.as_str().unwrap()),
                None => read(wanted).is_some_and(|w| same(&w, &got)),
            };
            (if good { PASSED } else { FAILED }, format!("{got:?}"))
        }
    }
}

/// What it has not at all counts apart from what it gets wrong: in the files of the extensions, an
/// expression of which it says that it does not parse or that a name is unknown.
fn is_unknown(given: &Json, why: &str) -> bool {
    let file = given["file"].as_str().unwrap();
    let extension = file.ends_with("_ext") || file == "macros2" || file == "optionals";
    let why = why.to_lowercase();
    extension
        && ["undeclared", "unknown", "unexpected", "no such overload", "no such function", "syntax", "extraneous", "mismatched"]
            .iter()
            .any(|word| why.contains(word))
}

fn conform(folder: &str, verbose: bool) {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    paths.sort();
    std::panic::set_hook(Box::new(|_| {}));
    for path in paths {
        let mut counts = [0; 3];
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let given: Json = serde_json::from_str(line).unwrap();
            if given["needs_proto"] == json!(true) {
                continue;
            }
            let caught = std::panic::catch_unwind(|| judge(&given));
            let (mut verdict, why) = caught.unwrap_or((FAILED, "it panicked".to_string()));
            if verdict == FAILED && is_unknown(&given, &why) {
                verdict = UNSUPPORTED;
            }
            counts[verdict as usize] += 1;
            if verdict != PASSED && verbose {
                println!("{}/{}: {}\n    {verdict} {why}", given["section"], given["name"], given["expr"]);
            }
        }
        let file = path.file_stem().unwrap().to_str().unwrap();
        println!("{}", json!({"file": file, "passed": counts[0], "failed": counts[1], "unsupported": counts[2]}));
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("time") => {
            let env = Arc::new(environment());
            for line in std::fs::read_to_string(&args[2]).unwrap().lines() {
                let given: Json = serde_json::from_str(line).unwrap();
                let figures = time_case(&given, &env)
                    .unwrap_or_else(|e| json!({"error": e.lines().next().unwrap_or("").chars().take(150).collect::<String>()}));
                println!("{figures}");
            }
        }
        Some("conformance") => conform(&args[2], args.len() > 3),
        _ => {
            eprintln!("usage: cel-rust time CASES | cel-rust conformance FOLDER [verbose]");
            std::process::exit(2);
        }
    }
}
