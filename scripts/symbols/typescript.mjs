// Prints the uses of each name of a TypeScript project, as the checker of the compiler resolves them.
// Members that a class has from its base types count as one: they must have one name.
import { createRequire } from "node:module"
import path from "node:path"
const ts = createRequire(path.resolve("x.js"))("typescript")
const config = ts.getParsedCommandLineOfConfigFile("tsconfig.json", {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error })
const program = ts.createProgram(config.fileNames, config.options)
const checker = program.getTypeChecker()
const symbols = new Map(), parents = new Map()
const find = (s) => (parents.has(s) ? find(parents.get(s)) : s)
const join = (a, b) => find(a) !== find(b) && parents.set(find(a), find(b))

function roots(s) {
  if (!s) return []
  if (s.flags & ts.SymbolFlags.Alias) s = checker.getAliasedSymbol(s)
  return checker.getRootSymbols(s).filter((r) => r.declarations?.length)
}
function resolved(id) {
  const p = id.parent, found = [...roots(checker.getSymbolAtLocation(id))]
  if (ts.isShorthandPropertyAssignment(p)) found.push(...roots(checker.getShorthandAssignmentValueSymbol(p)))
  if (ts.isExportSpecifier(p)) found.push(...roots(checker.getExportSpecifierLocalTargetSymbol(p)))
  if (ts.isBindingElement(p) && !p.propertyName && p.name === id && ts.isObjectBindingPattern(p.parent)) found.push(...roots(checker.getTypeAtLocation(p.parent).getProperty(id.text)))
  if (ts.isObjectLiteralElementLike(p) && p.name === id && ts.isObjectLiteralExpression(p.parent)) {
    const type = checker.getContextualType(p.parent)
    for (const t of type?.isUnion() ? type.types : type ? [type] : []) found.push(...roots(t.getProperty(id.text)))
  }
  return found
}
function bases(symbol) {
  const holder = symbol.declarations.find((d) => d.parent && (ts.isClassLike(d.parent) || ts.isInterfaceDeclaration(d.parent)))?.parent
  for (const clause of holder?.heritageClauses ?? [])
    for (const t of clause.types) for (const b of roots(checker.getTypeAtLocation(t).getProperty(symbol.name))) join(symbol, b)
}
for (const file of program.getSourceFiles()) {
  const rel = path.relative(".", file.fileName)
  if (rel.startsWith("..") || rel.includes("node_modules")) continue
  const starts = file.getLineStarts()
  const visit = (n) => {
    if (ts.isIdentifier(n) && n.text) {
      const { line } = file.getLineAndCharacterOfPosition(n.getStart())
      const col = Buffer.byteLength(file.text.slice(starts[line], n.getStart())) + 1
      const found = resolved(n)
      for (const s of found) {
        if (!symbols.has(s)) symbols.set(s, []), bases(s)
        symbols.get(s).push({ name: n.text, two: new Set(found).size > 1, File: rel, Line: line + 1, Col: col })
      }
    }
    ts.forEachChild(n, visit)
  }
  visit(file)
}
const merged = new Map()
for (const [s, places] of symbols) merged.set(find(s), [...(merged.get(find(s)) ?? []), ...places])
const out = []
for (const [s, places] of merged) {
  const inProject = s.declarations.every((d) => !path.relative(".", d.getSourceFile().fileName).match(/^\.\.|node_modules/))
  if (!inProject || places.some((p) => p.name !== s.name)) continue
  const local = s.declarations.every((d) => ts.findAncestor(d.parent, (a) => ts.isFunctionLike(a)))
  // A place of two names, such as { name }, is no place to ask at.
  const at = (two) => [...new Map(places.filter((p) => p.two === two).map(({ File, Line, Col }) => [`${File}:${Line}:${Col}`, { File, Line, Col }])).values()]
  if (at(false).length) out.push({ Name: s.name, Local: local, At: at(false), Also: at(true) })
}
console.log(JSON.stringify(out))
