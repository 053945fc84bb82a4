// Writes docs/api.md from the comments of what the package exports, and says what they lack. With --check it writes nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './freshness.mjs'

const target = join(root, 'docs/api.md')
const read = (path) => readFileSync(join(root, path), 'utf8')
const entries = Object.keys(JSON.parse(read('package.json')).exports)
  .filter((path) => path !== './package.json')
  .map((path) => ({
    name: path.replace('.', 'vitrine'),
    file: join(root, path === '.' ? 'src/index.ts' : `src/adapters/${path.slice(2)}.ts`),
  }))
const { config } = ts.parseConfigFileTextToJson('tsconfig.json', read('tsconfig.json'))
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
const files = entries.map(({ file }) => file)
const program = ts.createProgram(files, { ...options, lib: ['lib.es2023.d.ts'] })
const checker = program.getTypeChecker()

/** Made of the table of keys: their comments say what they are. */
const computed = ['Config', 'ConfigKey', 'ConfigValue']

/** What a comment says of a name that ends so. */
const units = [
  [/ms$/i, /millisecond/i],
  [/bytes$/i, /\bbytes?\b/i],
  [/chars$/i, /character/i],
]

/** A line for each thing that the comments lack. */
const faults = []
/** What has been exported so far; an entry may export it again. */
const exported = new Set()

const symbolAt = (node) => {
  const symbol = checker.getSymbolAtLocation(node)
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function exportsOf(file) {
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
  const own = symbols.map((symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  )
  return own.filter((symbol) => !exported.has(symbol) && exported.add(symbol))
}

const oneLine = (text) => text.replaceAll(/\s+/g, ' ').trim()
const commentOf = (symbol) => oneLine(ts.displayPartsToString(symbol.getDocumentationComment(checker)))
const isCall = (node) =>
  ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isFunctionDeclaration(node)
const isInternal = (node) => ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')

/** Without what nearly every field has. */
const plain = (text) =>
  text
    .replaceAll(/\b(readonly|override|async|declare|export) (?=[\w$[({])/g, '')
    .replaceAll(/(\?: [^;,)\n]+?) \| undefined\b/g, '$1')

/** On one line, where the ends of lines divided the fields of a type. */
const flat = (text) => oneLine(text.replaceAll(/(?<=[^{(|,;\s])\n\s*(?=\w+\??:)/g, '; '))

function signatureOf(node) {
  const text = node.getText().slice(0, (node.body?.getStart() ?? node.end) - node.getStart())
  const head = flat(plain(text))
    .replace(/^get (\w+)\(\)/, '$1')
    .replace(/^function /, '')
    .replace('( ', '(')
    .replace(', )', ')')
    .replaceAll(/\{ [^{}:]* \}: /g, 'options: ')
  return node.questionToken ? head.replace(/ \| undefined$/, '') : head
}

function check(name, node, text) {
  const lacks = (what) => faults.push(`${name} ${what}`)
  if (text === '') lacks('has no comment')
  else if (node.questionToken && !/\bdefault:|\babsent\b/i.test(text))
    lacks('says neither its default nor when it is absent')
  else if (/\| null$/.test(node.type?.getText() ?? '') && !/\bnull\b/i.test(text))
    lacks('does not say what null means')
  else if (units.some(([names, unit]) => names.test(name) && !unit.test(text))) lacks('does not say its unit')
  else if (isCall(node) && !/\b(throw|reject)s?\b/i.test(text)) lacks('does not say what it throws')
}

/** Types of ours that can be seen, and not imported. */
function checkTypes(name, node) {
  if (!node || ts.isBlock(node)) return
  if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) {
    const symbol = symbolAt(node.typeName)
    const [declaration] = symbol.declarations
    const isOurs = declaration.getSourceFile().fileName.startsWith(join(root, 'src'))
    if (isOurs && !ts.isTypeParameterDeclaration(declaration) && !exported.has(symbol))
      faults.push(`${name} names ${symbol.name}, which is not exported`)
  }
  ts.forEachChild(node, (child) => checkTypes(name, child))
}

/** Fields within a type have a comment of their own, or a place in one beside them. */
function checkInner(name, node, text) {
  ts.forEachChild(node, (child) => {
    const isField = ts.isPropertySignature(child) && !ts.isLiteralTypeNode(child.type)
    if (isField && !text.includes(`\`${child.name.getText()}\``))
      check(`${name}: ${child.name.getText()}`, child, commentOf(child.symbol))
    checkInner(name, child, text)
  })
}

function memberLine(owner, member) {
  const text = commentOf(member.symbol)
  const name = `${owner}.${member.name?.getText() ?? '()'}`
  check(name, member, text)
  checkTypes(name, member)
  if (member.type) checkInner(name, member.type, `${text}${member.type.getText()}`)
  return `- \`${signatureOf(member)}\`: ${text}`
}

function membersOf(node) {
  const isOpen = (member) =>
    !ts.isConstructorDeclaration(member) &&
    !ts.isSetAccessorDeclaration(member) &&
    !isInternal(member) &&
    !(member.name && ts.isPrivateIdentifier(member.name))
  return node.members.filter(isOpen)
}

const isFunction = ({ declarations: [node] }) => ts.isFunctionDeclaration(node)
const isAlias = ({ declarations: [node] }) => ts.isTypeAliasDeclaration(node)

function section(symbol) {
  const [node] = symbol.declarations
  const text = commentOf(symbol)
  check(symbol.name, node, text)
  const head = `### ${symbol.name}\n\n${text}`
  if (isFunction(symbol)) {
    for (const part of [node.type, ...node.parameters]) checkTypes(symbol.name, part)
    return `### ${symbol.name}\n\n\`${signatureOf(node)}\`: ${text}`
  }
  if (isAlias(symbol)) return aliasSection(symbol, node, text)
  const parents = (node.heritageClauses ?? []).flatMap(({ types }) => types)
  const taken = takenBy(node) && ` Generic: \`${symbol.name}${takenBy(node)}\`.`
  const more = parents.map((type) => ` It has what \`${oneLine(type.getText())}\` has, too.`).join('')
  const lines = membersOf(node).map((member) => memberLine(symbol.name, member))
  return `${head}${taken}${more}\n\n${lines.join('\n')}`
}

/** `<E extends Encoding>`, behind the name of a type that takes another. */
const takenBy = ({ typeParameters = [] }) =>
  typeParameters.length > 0 ? `<${typeParameters.map((each) => oneLine(each.getText())).join(', ')}>` : ''

function aliasSection({ name }, node, text) {
  const { type } = node
  if (computed.includes(name)) return `- \`${name}\`: ${text}`
  checkTypes(name, type)
  checkInner(name, type, `${text}${type.getFullText()}`)
  const full = plain(type.getFullText()).trim()
  const is = /[{/]/.test(full) ? full : oneLine(full).replace(/^\| /, '')
  if (!is.includes('\n')) return `- \`${name}${takenBy(node)}\` = \`${is}\`: ${text}`
  const code = is.startsWith('{') ? is : is.replaceAll(/^ {2}/gm, '')
  return `### ${name}\n\n${text}\n\n\`\`\`ts\n${code}\n\`\`\``
}

/** A function, what it names, what that names, and so on: as a reader meets it. Then the next function. */
function inOrder(symbols) {
  const order = new Set()
  const meet = (node) => {
    if (ts.isBlock(node)) return
    const symbol = ts.isTypeReferenceNode(node) && symbolAt(node.typeName)
    if (symbols.includes(symbol)) order.add(symbol)
    ts.forEachChild(node, meet)
  }
  for (const first of symbols.filter(isFunction).reverse()) {
    order.add(first)
    for (const symbol of order) meet(symbol.declarations[0])
  }
  return [...new Set([...order, ...symbols])]
}

function entrySection({ name, file }) {
  const symbols = inOrder(exportsOf(file))
  const sections = symbols.map(section)
  const long = sections.filter((text) => text.startsWith('###'))
  const short = sections.filter((text) => !text.startsWith('###'))
  return [`## ${name}`, ...long, ...(short.length > 0 ? ['### Other types', short.join('\n')] : [])].join(
    '\n\n',
  )
}

const intro = `# The public API

What the package exports, from the comments of its source (\`npm run docs:api\`). Fields can only be read, if not said otherwise. Words in
capitals behind "throws" are codes of a \`VitrineError\`. How it is used: [library.md](library.md), [clients.md](clients.md#in-your-own-program).`

const page = `${[intro, ...entries.map(entrySection)].join('\n\n')}\n`
if (process.argv.includes('--check')) {
  if (read('docs/api.md') !== page)
    faults.push('docs/api.md is not what the comments say: run npm run docs:api')
} else writeFileSync(target, page)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
