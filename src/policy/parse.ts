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
  bashCommand,
  differs,
  doubtsOfText,
  isOfBash,
  multipliesItself,
  plainArithmetic,
  plainCondition,
  plainDelimiter,
  plainNestedBody,
  plainParameter,
  plainSubstitution,
} from './dialects.ts'
import {
  commandOf,
  type Doubt,
  type Feature,
  literalWord,
  type ParsedLine,
  type SimpleCommand,
  unknownWords,
  type Word,
} from './line.ts'
import { argumentOf, assignmentOf, holdsOperators, redirectOf, wordOf } from './words.ts'

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
  if (!walker.doubts.some(({ unread }) => unread)) walker.read(line)
  return walker
}

class Walker implements ParsedLine {
  readonly commands: SimpleCommand[] = []
  readonly features = new Set<Feature>()
  readonly doubts: Doubt[]
  readonly forkBombs: string[] = []
  readonly bashWords = new Set<string>()
  #chains = 0

  constructor(doubts: Doubt[]) {
    this.doubts = doubts
  }

  read(line: string): void {
    try {
      const place = { source: line, depth: 0, chain: 0, required: false, substituted: false, quoted: false }
      this.#visit(parse(line), place)
    } catch (error) {
      // The parser promises not to throw; if it does, the line is marked unsure.
      this.#doubt(invalid, errorText(error))
    }
  }

  #doubt(why: string, text: string, how: Pick<Doubt, 'unread'> = {}): void {
    const isNew = !this.doubts.some((known) => known.why === why && known.text === text)
    if (isNew && this.doubts.length < maxDoubts) this.doubts.push({ why, text, ...how })
  }

  #bash(text: string, name = text): void {
    this.bashWords.add(name)
    this.#doubt(differs, text)
  }

  #visit(node: SyntaxNode, outer: Place): void {
    if (outer.depth > maxDepth) {
      this.#doubt('the line is nested too deeply to parse reliably', '', { unread: true })
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
        for (const { message } of node.errors ?? []) this.#doubt(invalid, message)
        this.#statements(node, { ...place, source: node.source ?? place.source })
        return true
      case 'CompoundList':
        this.#statements(node, place)
        return true
      case 'Statement':
        if (node.background) this.features.add('a background command (&)')
        this.#children(node, place)
        return true
      case 'AndOr': {
        this.features.add(several)
        const required = node.operators.every((operator) => operator === '&&')
        for (const command of node.commands) this.#visit(command, { ...place, required })
        return true
      }
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

  #statements({ commands }: Extract<SyntaxNode, { type: 'Script' | 'CompoundList' }>, place: Place): void {
    if (commands.length > 1) this.features.add(several)
    for (const statement of commands)
      this.#visit(statement, { ...place, chain: ++this.#chains, required: false })
  }

  #pipeline(node: Pipeline, place: Place): void {
    if (node.commands.length > 1) this.features.add('a pipe')
    if (node.operators.includes('|&')) this.#bash('|&')
    if (node.prefixes.some(({ type }) => type === 'Time')) this.#time(node, place)
    for (const command of node.commands) this.#visit(command, { ...place, required: false })
  }

  /** `time` is a keyword in bash and a program in dash; both run a command that begins with a plain name. */
  #time(node: Pipeline, place: Place): void {
    const [first] = node.commands
    const [prefix, ...others] = node.prefixes.filter(({ type }) => type === 'Time')
    const isPlain =
      first?.type === 'Command' && first.prefix.length === 0 && first.name && !first.name.text.startsWith('-')
    if (!prefix || others.length > 0 || !isPlain) this.#doubt(differs, 'time')
    else this.#add(prefix, { ...place, required: false }, { words: [literalWord('time')] })
  }

  #command(node: Command, place: Place): void {
    const words = [...(node.name ? [wordOf(node.name)] : []), ...node.args.map(argumentOf)]
    const [head, ...rest] = words
    if (head && head.kind !== 'literal')
      this.#doubt('it is unknown which program runs until the line runs', head.text)
    // dash, and bash as sh, put its text in place of words of later lines.
    const defines = ({ kind, value }: Word) => kind !== 'literal' || value.includes('=')
    if (head?.value === 'alias' && rest.some(defines)) this.#doubt(differs, 'alias')
    const ofBash = bashCommand(head?.value ?? '', rest)
    if (ofBash !== undefined) this.bashWords.add(ofBash)
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
    if (this.commands.length === maxCommands)
      this.#doubt('the line has more than 2,000 commands', '', { unread: true })
    else this.commands.push({ ...commandOf(source.slice(node.pos, node.end), []), ...parts, chain, required })
  }

  #inspectPart(node: SyntaxNode, place: Place): boolean {
    switch (node.type) {
      case 'Word':
        if (holdsOperators(node)) this.#doubt(invalid, node.text)
        break
      case 'AnsiCQuoted':
      case 'LocaleString':
      case 'ProcessSubstitution':
      case 'ExtendedGlob':
        this.#bash(node.text)
        break
      case 'BraceExpansion':
        this.bashWords.add(node.text)
        break
      case 'DoubleQuoted':
        this.#children(node, { ...place, quoted: true })
        return true
      case 'CommandExpansion':
        this.#substitution(node, place)
        return true
      case 'ArithmeticExpansion':
        this.features.add(several)
        if (!plainArithmetic(node.text)) this.#doubt('arithmetic with names can run code in bash', node.text)
        break
      case 'SimpleExpansion':
      case 'ParameterExpansion':
        this.features.add(several)
        if (node.type === 'ParameterExpansion' && isOfBash(node)) this.bashWords.add(node.text)
        if (!plainParameter(node.text)) this.#doubt(differs, node.text)
        break
      case 'Assignment':
        if (node.append || node.index || node.value.type === 'ArrayValue') this.#bash(node.text)
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
    this.features.add(several)
    if (!node.script || !plainSubstitution(node.text, place.quoted)) this.#doubt(differs, node.text)
    this.#children(node, { ...place, substituted: true, quoted: false, required: false })
  }

  #redirect(node: Redirection, place: Place): void {
    this.features.add(node.type === 'HereDoc' ? several : 'a redirect')
    const text = place.source.slice(node.pos, node.end)
    if (node.descriptor?.type === 'FileDescriptorVariable' || (node.descriptor?.value ?? 0) > 9)
      this.#doubt(differs, text)
    if (node.type === 'HereString') this.#bash('<<<')
    else if (node.type === 'HereDoc') this.#hereDocument(node, place)
    else if (node.operator.startsWith('&>')) this.#bash(node.operator)
    // dash reads a one-digit descriptor in `>&12` and fails; bash opens descriptor 12.
    else if (/^\d\d/.test(node.target?.text ?? '') && node.operator.endsWith('&')) this.#doubt(differs, text)
    else if (node.operator === '>&' && /^[^\d$"'`-]/.test(node.target?.text ?? '')) this.bashWords.add(text)
  }

  #hereDocument({ delimiter, body, closing }: HereDoc, { source, substituted }: Place): void {
    // To the end of the closing line: some shells include a backslash before it.
    const continued = delimiter?.quoted === false && source.slice(body.pos, closing?.end).includes('\\\n')
    const hidden = substituted && !plainNestedBody(body.text)
    if (!delimiter || !closing || !plainDelimiter(delimiter.text) || continued || hidden)
      this.#doubt(differs, delimiter ? source.slice(delimiter.pos - 2, delimiter.end) : '<<')
  }

  #inspectCompound(node: SyntaxNode, place: Place): void {
    const text = place.source.slice(node.pos, node.end)
    if (!/^(?:Literal|Glob|SingleQuoted|FileDescriptor)$/.test(node.type)) this.features.add(several)
    switch (node.type) {
      case 'ArithmeticCommand':
      case 'ArithmeticFor':
      case 'Coproc':
      case 'Select':
        this.#bash(text, node.type.startsWith('Arithmetic') ? '((' : node.type.toLowerCase())
        break
      case 'TestCommand':
        this.bashWords.add('[[')
        // A condition in bash, and a missing program in dash, where a newline ends its words.
        if (text.includes('\n') || !plainCondition(node.expression)) this.#doubt(differs, text)
        else this.#add(node, place, { words: [literalWord('[[')] })
        break
      case 'Function':
        this.#doubt(anyProgram, node.name.value)
        if (text.startsWith('function')) this.bashWords.add('function')
        if (multipliesItself(node.body, node.name.value, false)) this.forkBombs.push(node.name.value)
        break
      case 'Subshell':
        // dash reads `((` as arithmetic only after `$`; bash tries arithmetic first.
        if (text.startsWith('((')) this.#doubt(differs, '((')
        break
      case 'Case':
        if (place.substituted) this.#doubt(differs, 'case')
        if (node.items.some(({ terminator }) => terminator && terminator !== ';;')) this.#bash(';&')
        break
      case 'For':
        this.#add(node.name, place, { assignments: [{ name: node.name.value, value: unknownWords }] })
        break
      case 'Redirected':
        this.#add(node, place, { redirects: node.redirects.map(redirectOf(place.source)) })
        break
      default:
        break
    }
    this.#children(node, { ...place, required: false })
  }
}

export const anyProgram = 'a function can take the name of any program'
const invalid = 'the line is not valid shell'
const several = 'more than one plain command'
