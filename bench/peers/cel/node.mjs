// cel-js and @marcbachmann/cel-js on the benchmark's cases and on the conformance tests.
//
//     node node.mjs LIBRARY time CASES
//     node node.mjs LIBRARY conformance FOLDER [verbose]
import * as fs from 'node:fs'
import * as path from 'node:path'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

// The packages are installed below build/, not beside this file.
const modules = createRequire(new URL('../../../build/peers/cel/package.json', import.meta.url))
const load = async (name) => import(pathToFileURL(modules.resolve(name)).href)

const BATCHES = 15
const BATCH_NS = 2e6
const WARM_NS = 1e8

// --- Typed values ---------------------------------------------------------------------------------

class Unsupported extends Error {}

const seconds = (t) => BigInt(t.seconds) * 1000000000n + BigInt(t.nanos ?? 0)

function readDouble(text) {
  return Number(text)
}

// `make` holds what the libraries represent each in its own way.
function read(typed, make) {
  const [kind, given] = Object.entries(typed)[0]
  switch (kind) {
    case 'json': case 'null': case 'bool': case 'string': return given
    case 'int': return make.int(BigInt(given))
    case 'uint': return make.uint(BigInt(given))
    case 'double': return make.double(readDouble(given))
    case 'bytes': return new Uint8Array(Buffer.from(given, 'base64'))
    case 'list': return given.map((e) => read(e, make))
    case 'map': return make.map(given.map(([k, v]) => [read(k, make), read(v, make)]))
    case 'timestamp': return make.timestamp(given)
    case 'duration': return make.duration(given)
    case 'type': return make.type(given)
  }
  throw new Unsupported(kind)
}

const entriesOf = (map) => (map instanceof Map ? [...map] : Object.entries(map))

// Strict: by type and value, any NaN with any other. `lib.kind` names the type of a result.
function same(typed, got, lib) {
  const [kind, given] = Object.entries(typed)[0]
  if (lib.kind(got) !== kind) return false
  switch (kind) {
    case 'null': return true
    case 'bool': case 'string': return got === given
    case 'int': case 'uint': return lib.integer(got) === BigInt(given)
    case 'double': return Object.is(lib.float(got), readDouble(given))
    case 'bytes': return Buffer.from(got).toString('base64') === given
    case 'list': return got.length === given.length && given.every((e, i) => same(e, got[i], lib))
    case 'map': {
      const entries = entriesOf(got)
      return entries.length === given.length &&
        given.every(([k, v]) => entries.some(([l, w]) =>
          (lib.textKeys(got) ? same({ string: String(Object.values(k)[0]) }, l, lib) : same(k, l, lib)) && same(v, w, lib)))
    }
    case 'timestamp': return lib.nanos(got) === seconds(given)
    case 'duration': return lib.nanos(got) === seconds(given)
    case 'type': return lib.typeName(got) === given
  }
  return false
}

// --- Libraries ------------------------------------------------------------------------------------

const range = (n) => Array.from({ length: Number(n) }, (_, i) => i)
const sum = (list) => list.reduce((a, b) => a + Number(b), 0)

async function marcbachmann() {
  const lib = await load('@marcbachmann/cel-js')
  const { Environment } = lib
  const base = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
  const probe = (source) => base.evaluate(source)
  const Uint = probe('1u').constructor
  const Span = probe("duration('1s')").constructor
  const Type = probe('type(1)').constructor
  const make = {
    int: (v) => v,
    uint: (v) => new Uint(v),
    double: (v) => v,
    map: (pairs) => new Map(pairs),
    timestamp: (t) => new Date(Number(seconds(t) / 1000000n)),
    duration: (t) => probe(`duration('${t.seconds}s')`).constructor === Span
      ? probe(`duration('${(seconds(t) / 1000000000n).toString()}s')`) : null,
    type: (name) => probe(name),
  }
  const declared = (t) => t
    .replace(/wrapper\((\w+)\)/g, 'dyn').replace(/optional_type/g, 'optional').replace(/\(/g, '<').replace(/\)/g, '>')
    .replace(/\bany\b/g, 'dyn').replace(/\btimestamp\b/, 'google.protobuf.Timestamp')
    .replace(/\bduration\b/, 'google.protobuf.Duration').replace(/\bnull_type\b/, 'null')
  return {
    make,
    kind(v) {
      if (v === null || v === undefined) return 'null'
      if (typeof v === 'boolean') return 'bool'
      if (typeof v === 'bigint') return 'int'
      if (typeof v === 'number') return 'double'
      if (typeof v === 'string') return 'string'
      if (v instanceof Uint) return 'uint'
      if (v instanceof Uint8Array) return 'bytes'
      if (Array.isArray(v)) return 'list'
      if (v instanceof Date) return 'timestamp'
      if (v instanceof Span) return 'duration'
      if (v instanceof Type) return 'type'
      return 'map'
    },
    integer: (v) => BigInt(v.valueOf()),
    float: (v) => v,
    nanos: (v) => v instanceof Date ? BigInt(v.getTime()) * 1000000n : BigInt(v.seconds) * 1000000000n + BigInt(v.nanos),
    typeName: (v) => String(v.name ?? v),
    textKeys: (v) => !(v instanceof Map),
    hasChecker: true,
    environment(declarations) {
      const env = base.clone()
      env.registerFunction('range(int): list<int>', (n) => range(n).map(BigInt))
      env.registerFunction('sum(list): double', sum)
      for (const [name, type] of Object.entries(declarations)) env.registerVariable(name, type)
      return env
    },
    declared,
    prepare(source, names, checked = true) {
      const env = this.environment(names)
      const program = env.parse(source)
      if (checked) {
        const verdict = program.check()
        if (!verdict.valid) throw verdict.error
      }
      return { run: program, compile: () => { const p = env.parse(source); p.check(); return p }, type: checked ? program.check().type : undefined }
    },
  }
}

async function celJs() {
  const lib = await load('cel-js')
  const functions = { range, sum }
  const make = {
    int: Number, uint: Number, double: (v) => v,
    map: (pairs) => Object.fromEntries(pairs),
    timestamp: (t) => new Date(Number(seconds(t) / 1000000n)),
    duration() { throw new Unsupported('duration') },
    type() { throw new Unsupported('type') },
  }
  return {
    make,
    // It has one kind of number: an int is a number without a fraction.
    kind(v) {
      if (v === null || v === undefined) return 'null'
      if (typeof v === 'boolean') return 'bool'
      if (typeof v === 'number') return 'number'
      if (typeof v === 'string') return 'string'
      if (v instanceof Uint8Array) return 'bytes'
      if (Array.isArray(v)) return 'list'
      if (v instanceof Date) return 'timestamp'
      return 'map'
    },
    integer: (v) => Number.isInteger(v) ? BigInt(v) : null,
    float: (v) => v,
    nanos: (v) => BigInt(v.getTime()) * 1000000n,
    typeName: String,
    textKeys: () => true,
    hasChecker: false,
    declared: () => 'dyn',
    prepare(source) {
      const compile = () => {
        const parsed = lib.parse(source)
        if (!parsed.isSuccess) throw new Error(parsed.errors.join('; '))
        return parsed.cst
      }
      const cst = compile()
      return { run: (values) => lib.evaluate(cst, values, functions), compile }
    },
  }
}

// --- Time -----------------------------------------------------------------------------------------

const now = () => Number(process.hrtime.bigint())
let sink = 0

function median(once) {
  const warm = now()
  let rounds = 1
  for (;;) {
    const start = now()
    for (let i = 0; i < rounds; i++) sink += once() === undefined
    if (now() - start >= BATCH_NS) break
    rounds *= 2
  }
  while (now() - warm < WARM_NS) for (let i = 0; i < rounds; i++) sink += once() === undefined
  const figures = []
  for (let b = 0; b < BATCHES; b++) {
    const start = now()
    for (let i = 0; i < rounds; i++) sink += once() === undefined
    figures.push((now() - start) / rounds)
  }
  return figures.sort((a, b) => a - b)[BATCHES >> 1]
}

const plain = (v) => JSON.stringify(v, (_, e) => typeof e === 'bigint' ? Number(e) : e instanceof Map ? Object.fromEntries(e) : e)

function timeCase(line, lib) {
  const given = JSON.parse(line)
  try {
    const values = {}
    for (const [name, typed] of Object.entries(given.bindings)) values[name] = read(typed, lib.make)
    const names = Object.fromEntries(Object.keys(values).map((name) => [name, 'dyn']))
    const subject = lib.prepare(given.expr, names)
    const got = plain(subject.run(values))
    const wanted = plain(read(given.expect, lib.make))
    if (got !== wanted) throw new Error(`${got.slice(0, 80)} instead of ${wanted.slice(0, 80)}`)
    return { eval_ns: median(() => subject.run(values)), compile_ns: median(subject.compile) }
  } catch (e) {
    return { error: String(e.message).split('\n')[0].slice(0, 150) }
  }
}

// --- Conformance ----------------------------------------------------------------------------------

// What an implementation has not at all counts apart from what it gets wrong: in the files of the
// extensions, an expression that it does not even compile, or of which it says that a name is unknown.
const EXTENSIONS = /_ext$|^macros2$|^optionals$/
const UNKNOWN = /unknown|no matching overload|not defined|not a function|undeclared|unexpected/i

function conformCase(given, lib) {
  const why = judge(given, lib)
  return EXTENSIONS.test(given.file) && UNKNOWN.test(why) ? `unsupported: ${why}` : why
}

function judge(given, lib) {
  const expect = given.expect
  const wantsError = 'error' in expect
  const values = {}
  const names = {}
  for (const d of given.type_env ?? []) {
    if (d.overloads) return 'unsupported: declares a function without a body'
    names[d.name] = lib.declared(d.type)
  }
  if (given.container) return 'unsupported: containers'
  try {
    for (const [name, bound] of Object.entries(given.bindings ?? {})) {
      values[name] = read(bound.value, lib.make)
      names[name] ??= 'dyn'
    }
  } catch (e) {
    return `unsupported: binding of kind ${e.message}`
  }
  if (given.check_only && !lib.hasChecker) return 'unsupported: no checker'
  let subject
  try {
    subject = lib.prepare(given.expr, names, !given.disable_check)
  } catch (e) {
    return wantsError && !given.disable_check ? '' : 'unexpected: ' + String(e.message).split('\n')[0]
  }
  if (lib.hasChecker && expect.type && !given.disable_check && subject.type !== lib.declared(expect.type)) {
    return `type ${subject.type}`
  }
  if (given.check_only) return ''
  try {
    const got = subject.run(values)
    if (wantsError) return `got ${plain(got)}`
    return agrees(expect.value, got, lib) ? '' : `got ${plain(got)}`
  } catch (e) {
    return wantsError ? '' : String(e.message).split('\n')[0]
  }
}

// A library with one kind of number passes where the number is right.
function agrees(typed, got, lib) {
  if (lib.hasChecker) return same(typed, got, lib)
  const lenient = { ...lib, kind: (v) => lib.kind(v) }
  const loosen = (t) => {
    const [kind, given] = Object.entries(t)[0]
    if (kind === 'int' || kind === 'uint' || kind === 'double') return { number: given }
    if (kind === 'list') return { list: given.map(loosen) }
    if (kind === 'map') return { map: given.map(([k, v]) => [k, loosen(v)]) }
    return t
  }
  const compare = (t, v) => {
    const [kind, given] = Object.entries(t)[0]
    if (kind === 'number') return typeof v === 'number' && Object.is(v, readDouble(given))
    if (kind === 'list') return Array.isArray(v) && v.length === given.length && given.every((e, i) => compare(e, v[i]))
    if (kind === 'map') {
      return lib.kind(v) === 'map' && entriesOf(v).length === given.length &&
        given.every(([k, e]) => String(Object.values(k)[0]) in v && compare(e, v[String(Object.values(k)[0])]))
    }
    return same(t, v, lenient)
  }
  return compare(loosen(typed), got)
}

function conform(folder, lib, verbose) {
  for (const file of fs.readdirSync(folder).filter((f) => f.endsWith('.jsonl')).sort()) {
    const sum = { file: file.replace('.jsonl', ''), passed: 0, failed: 0, unsupported: 0 }
    for (const line of fs.readFileSync(path.join(folder, file), 'utf8').split('\n').filter(Boolean)) {
      const given = JSON.parse(line)
      if (given.needs_proto) continue
      const why = conformCase(given, lib)
      sum[why === '' ? 'passed' : why.startsWith('unsupported') ? 'unsupported' : 'failed']++
      if (why && verbose) console.log(`${given.section}/${given.name}: ${given.expr}\n    ${why}`)
    }
    console.log(JSON.stringify(sum))
  }
}

const [library, mode, target, verbose] = process.argv.slice(2)
const lib = library === 'cel-js' ? await celJs() : await marcbachmann()
if (mode === 'time') {
  for (const line of fs.readFileSync(target, 'utf8').split('\n').filter(Boolean)) {
    console.log(JSON.stringify(timeCase(line, lib)))
  }
} else {
  conform(target, lib, verbose)
}
