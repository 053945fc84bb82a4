import {
  type Command,
  type CommandExpansionPart,
  forEachChild,
  type HereDoc,
  type Pipeline,
  parse,
  type Redirection,
  type SyntaxNode,
} from 'unbash'
import { errorText } from '../base/errno.ts'
import {
  doubtsOfText,
  multipliesItself,
  overCap,
  plainArithmetic,
  plainDelimiter,
  plainNestedBody,
  plainParameter,
  plainSubstitution,
} from './dialects.ts'
import {
  type Feature,
  literalWord,
  type ParsedLine,
  type SimpleCommand,
  type Unsure,
  type UnsureKind,
  unknownWords,
  type Word,
} from './line.ts'
import { argumentOf, assignmentOf, conditionWords, holdsOperators, redirectOf, wordOf } from './words.ts'

const maxDepth = 48
const maxDoubts = 20
const maxCommands = 2_000

interface Place {
  /** The script that positions refer to. */
  readonly source: string
  readonly depth: number
  readonly chain: number
  readonly required: boolean
  readonly substituted: boolean
  readonly quoted: boolean
}

/** Parses a shell line into simple commands and doubts about its reading. Never throws. */
export function parseLine(line: string): ParsedLine {
  const walker = new Walker(doubtsOfText(line))
  if (!overCap(walker.unsure)) walker.read(line)
  return walker
}

class Walker implements ParsedLine {
  readonly commands: SimpleCommand[] = []
  readonly features = new Set<Feature>()
  readonly unsure: Unsure[]
  readonly forkBombs: string[] = []
  #chains = 0

  constructor(unsure: Unsure[]) {
    this.unsure = unsure
  }

  read(line: string): void {
    try {
      const place = { source: line, depth: 0, chain: 0, required: false, substituted: false, quoted: false }
      this.#visit(parse(line), place)
    } catch (error) {
      // The parser promises not to throw; if it does, the line is marked unsure.
      this.#doubt('syntax', errorText(error))
    }
  }

  #doubt(kind: UnsureKind, text: string): void {
    const isNew = !this.unsure.some((known) => known.kind === kind && known.text === text)
    if (isNew && this.unsure.length < maxDoubts) this.unsure.push({ kind, text })
  }

  #visit(node: SyntaxNode, outer: Place): void {
    if (outer.depth > maxDepth) {
      this.#doubt('nesting', '')
      return
    }
    const place = { ...outer, depth: outer.depth + 1 }
    if (!this.#inspectList(node, place) && !this.#inspectPart(node, place)) this.#inspectCompound(node, place)
  }

  #children(node: SyntaxNode, place: Place): void {
    forEachChild(node, (child) => this.#visit(child, place))
  }

  #inspectList(node: SyntaxNode, place: Place): boolean {
    switch (node.type) {
      case 'Script':
        for (const { message } of node.errors ?? []) this.#doubt('syntax', message)
        this.#statements(node, { ...place, source: node.source ?? place.source })
        return true
      case 'CompoundList':
        this.#statements(node, place)
        return true
      case 'Statement':
        if (node.background) this.features.add('background')
        this.#children(node, place)
        return true
      case 'AndOr':
        this.#andOr(node, place)
        return true
      case 'Pipeline':
        this.#pipeline(node, place)
        return true
      case 'Command':
        this.#command(node, place)
        return true
      default:
        return false
    }
  }

  #statements(node: Extract<SyntaxNode, { type: 'Script' | 'CompoundList' }>, place: Place): void {
    if (node.commands.length > 1) this.features.add('chain')
    for (const statement of node.commands)
      this.#visit(statement, { ...place, chain: ++this.#chains, required: false })
  }

  #andOr(node: Extract<SyntaxNode, { type: 'AndOr' }>, place: Place): void {
    this.features.add('chain')
    const onlyAnd = node.operators.every((operator) => operator === '&&')
    for (const command of node.commands) this.#visit(command, { ...place, required: onlyAnd })
  }

  #pipeline(node: Pipeline, place: Place): void {
    if (node.commands.length > 1) this.features.add('pipe')
    if (node.operators.includes('|&')) this.#doubt('bash-only', '|&')
    if (node.prefixes.some(({ type }) => type === 'Time')) this.#time(node, place)
    for (const command of node.commands) this.#visit(command, { ...place, required: false })
  }

  /** `time` is a keyword in bash and a program in dash; both run a command that begins with a plain name. */
  #time(node: Pipeline, place: Place): void {
    const [first] = node.commands
    const [prefix, ...others] = node.prefixes.filter(({ type }) => type === 'Time')
    const isPlain =
      first?.type === 'Command' && first.prefix.length === 0 && first.name && !first.name.text.startsWith('-')
    if (!prefix || others.length > 0 || !isPlain) this.#doubt('bash-only', 'time')
    else this.#add(prefix, { ...place, required: false }, { words: [literalWord('time')] })
  }

  #command(node: Command, place: Place): void {
    if (node.name && wordOf(node.name).kind !== 'literal') this.#doubt('program-name', node.name.text)
    const words = [...(node.name ? [wordOf(node.name)] : []), ...node.args.map(argumentOf)]
    // dash, and bash as sh, put its text in place of words of later lines.
    const defines = ({ kind, value }: Word) => kind !== 'literal' || value.includes('=')
    if (node.name?.value === 'alias' && words.some(defines)) this.#doubt('bash-only', 'alias')
    const assignments = node.prefix.filter((child) => child.type === 'Assignment').map(assignmentOf)
    // Substitutions in its words run first.
    this.#children(node, { ...place, required: false })
    this.#add(node, place, { words, assignments, redirects: node.redirects.map(redirectOf(place.source)) })
  }

  #add(
    node: { readonly pos: number; readonly end: number },
    { source, chain, required }: Place,
    parts: Partial<Pick<SimpleCommand, 'words' | 'assignments' | 'redirects'>>,
  ): void {
    if (this.commands.length === maxCommands) this.#doubt('too-many-commands', '')
    if (this.commands.length < maxCommands)
      this.commands.push({ ...nothing, ...parts, text: source.slice(node.pos, node.end), chain, required })
  }

  #inspectPart(node: SyntaxNode, place: Place): boolean {
    switch (node.type) {
      case 'Word':
        if (holdsOperators(node)) this.#doubt('syntax', node.text)
        break
      case 'AnsiCQuoted':
      case 'LocaleString':
      case 'ProcessSubstitution':
      case 'ExtendedGlob':
        this.#doubt('bash-only', node.text)
        break
      case 'DoubleQuoted':
        this.#children(node, { ...place, quoted: true })
        return true
      case 'CommandExpansion':
        this.#substitution(node, place)
        return true
      case 'ArithmeticExpansion':
        this.features.add('expansion')
        if (!plainArithmetic(node.text)) this.#doubt('arithmetic', node.text)
        break
      case 'SimpleExpansion':
      case 'ParameterExpansion':
        this.features.add('expansion')
        if (!plainParameter(node.text)) this.#doubt('parameter', node.text)
        break
      case 'Assignment':
        if (node.append || node.index || node.value.type === 'ArrayValue') this.#doubt('bash-only', node.text)
        break
      case 'Redirect':
      case 'HereString':
      case 'HereDoc':
        this.#redirect(node, place)
        break
      default:
        return false
    }
    this.#children(node, place)
    return true
  }

  #substitution(node: CommandExpansionPart, place: Place): void {
    this.features.add('substitution')
    if (!node.script || !plainSubstitution(node.text, place.quoted)) this.#doubt('substitution', node.text)
    this.#children(node, { ...place, substituted: true, quoted: false, required: false })
  }

  #redirect(node: Redirection, place: Place): void {
    this.features.add(node.type === 'HereDoc' ? 'here-document' : 'redirect')
    const text = place.source.slice(node.pos, node.end)
    if (node.descriptor?.type === 'FileDescriptorVariable' || (node.descriptor?.value ?? 0) > 9)
      this.#doubt('descriptor', text)
    if (node.type === 'HereString') this.#doubt('bash-only', '<<<')
    else if (node.type === 'HereDoc') this.#hereDocument(node, place)
    else if (node.operator.startsWith('&>')) this.#doubt('bash-only', node.operator)
    // dash reads a one-digit descriptor in `>&12` and fails; bash opens descriptor 12.
    else if (/^\d\d/.test(node.target?.text ?? '') && node.operator.endsWith('&'))
      this.#doubt('descriptor', text)
  }

  #hereDocument({ delimiter, body, closing }: HereDoc, { source, substituted }: Place): void {
    // To the end of the closing line: some shells include a backslash before it.
    const continued = delimiter?.quoted === false && source.slice(body.pos, closing?.end).includes('\\\n')
    const hidden = substituted && !plainNestedBody(body.text)
    if (!delimiter || !closing || !plainDelimiter(delimiter.text) || continued || hidden)
      this.#doubt('here-document', delimiter ? source.slice(delimiter.pos - 2, delimiter.end) : '<<')
  }

  /** `[[ ]]` is a condition in bash and a missing program in dash, where a newline ends its words. */
  #test(node: Extract<SyntaxNode, { type: 'TestCommand' }>, place: Place): void {
    const isOneLine = !place.source.slice(node.pos, node.end).includes('\n')
    const inner = isOneLine ? conditionWords(node.expression) : undefined
    if (inner) this.#add(node, place, { words: [literalWord('[['), ...inner, literalWord(']]')] })
    else this.#doubt('bash-only', place.source.slice(node.pos, node.end))
  }

  #inspectCompound(node: SyntaxNode, place: Place): void {
    switch (node.type) {
      case 'ArithmeticCommand':
      case 'ArithmeticFor':
      case 'Coproc':
      case 'Select':
        this.#doubt('bash-only', place.source.slice(node.pos, node.end))
        break
      case 'TestCommand':
        this.#test(node, place)
        break
      case 'Function':
        this.#doubt('function', node.name.value)
        if (multipliesItself(node.body, node.name.value, false)) this.forkBombs.push(node.name.value)
        break
      case 'Subshell':
        // dash reads `((` as arithmetic only after `$`; bash tries arithmetic first.
        if (place.source.startsWith('((', node.pos)) this.#doubt('bash-only', '((')
        break
      case 'Case':
        if (place.substituted) this.#doubt('substitution', 'case')
        if (node.items.some(({ terminator }) => terminator && terminator !== ';;'))
          this.#doubt('bash-only', ';&')
        break
      case 'For':
        this.#add(node.name, place, {
          assignments: (node.wordlist?.map(wordOf) ?? [unknownWords]).map((value) => ({
            name: node.name.value,
            value,
          })),
        })
        break
      case 'Redirected':
        this.#add(node, place, { redirects: node.redirects.map(redirectOf(place.source)) })
        break
      default:
        break
    }
    if (COMPOUND.test(node.type)) this.features.add('compound')
    this.#children(node, { ...place, required: false })
  }
}

const nothing = { words: [], assignments: [], redirects: [] }

const COMPOUND =
  /^(?:ArithmeticCommand|ArithmeticFor|TestCommand|Coproc|Select|Function|Subshell|BraceGroup|Case|For|If|While|Redirected)$/
