/** Arguments for every function of src/messages, by module. A new message needs a row. */
type Samples = Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>

const facts = { wanted: 'the native addon', got: 'it does not load', remedy: 'build it' }
const fault = { path: '/log', step: 'write', reason: 'ENOSPC' }
const decision = { verdict: 'ask', reason: '"x" is not on the list', matches: [] }
const denial = { operation: 'write', path: '/etc/x', program: 'sh', count: 1 }
const ignored = {
  key: 'shell.network',
  file: '/a/.vitrine.toml',
  line: 3,
  why: 'loosens',
  text: 'true',
  inForceText: 'false',
}

/** A sentence on its own: it ends with a full stop, or asks. */
export const sentences: Samples = {
  audit: { describeAuditFailure: [fault], lostLine: [fault] },
  config: {
    describeConfigProblem: [
      { code: 'CONFIG_INVALID', file: '/a', line: 1, key: 'x', problem: { kind: 'unknown-key' } },
    ],
  },
  docker: {
    describeOutside: ['/a', '/b'],
    noTerminalInContainer: [],
    lostHint: ['it ended', 'tool'],
    lostAdvice: ['user'],
  },
  limits: {
    openFilesHint: [{ openFiles: 9 }, 1, 'Too many open files'],
    containerMemoryHint: [1 << 30],
  },
  platform: {
    nestedPowershellHint: [],
    describeBatchFile: ['a.cmd'],
    noTerminal: [],
    describeOtherPlatform: ['haiku'],
  },
  policy: { describeDenied: [decision], describeNotApproved: [decision, '/a/.vitrine.toml'] },
  'cli/run': {
    unknownOption: ['--x', 'y'],
    unknownCommand: ['x', ['a b'], 'y'],
    noSuchHelp: ['x', undefined],
    keepGoingAlone: [],
    onlyFull: ['--json'],
    timeoutLowered: [2, 1],
    flagWithValue: ['--each'],
    optionElsewhere: ['--each', ['run', 'shell', 'mcp']],
    unknownBackend: ['x'],
    unknownMode: ['x'],
    twoModes: ['read'],
    twoNetworks: [],
    unknownHost: ['x'],
    wideHost: ['*.com'],
    variableUnnamed: ['='],
    valueMissing: ['--cwd'],
    ptyAlone: ['--json'],
    ptyWithoutTerminal: [],
    rawUnavailable: [],
    commandMissing: ['run'],
    dashesMissing: [['vitrine', 'run', '--', 'ls']],
    tooManyWords: ['x', 'doctor'],
    subcommandMissing: ['policy', ['check', 'list']],
    unknownSubcommand: ['policy', 'x', ['check', 'list'], 'list'],
    projectFileMissing: [['/a', '/b']],
    notAProjectFile: ['/a', '.vitrine.toml'],
    outputLost: ['ENOSPC'],
  },
  'sandbox/network': {
    unknownClient: [],
    badProxyRequest: [],
    badHostAnswer: [],
    refusedHost: ['a.example:443', 'not-listed'],
  },
  'mcp/serve': {
    badMode: ['x'],
    badApprove: ['x'],
    badHttp: ['x'],
    strayWords: [['x']],
    emptyToken: [],
    tokenNeeded: ['0.0.0.0'],
    cannotListen: ['127.0.0.1:80', 'EACCES'],
    messageTooLong: [9, 8],
  },
  'mcp/install': {
    installUsage: [['claude', 'codex']],
    printAndWrite: [],
    notInstalled: [],
    writtenText: ['/a', '/a.bak'],
    failedText: ['/a', 'it is not JSON'],
  },
}

/** A line without a full stop: part of a sentence, a note or a row. */
export const fragments: Samples = {
  config: { describeInit: [{ kind: 'failed', file: '/a', errno: 'EACCES' }], noSuchKey: ['x'] },
  docker: { ownImage: [], limitsOfContainer: [], containerTmpLimit: [], insideEnded: [1, 'no'] },
  limits: {
    limitReached: [{ limit: 'memory', value: 1 << 20 }],
    limitsNote: ['/sys/fs/cgroup/x', ''],
    privateTmpNote: [facts, 1 << 20],
    limitsRefusedNote: [],
  },
  platform: {
    otherInterface: [undefined, 3],
    noAddonFor: ['haiku'],
    addonRemedy: [],
    cannotConfine: ['execa', 'landlock'],
  },
  policy: {
    explainSafe: ['ls'],
    explainHeld: ['workspace'],
    explainSecondRun: [[denial]],
    explainChange: ['/a/.claude'],
    explainHost: ['a.example', 443, 'curl'],
    explainOpen: [],
    explainInterpreter: ['python3', 'write'],
    explainRule: ['deny', 'git push', ''],
    explainMaybe: ['$x', 'rm'],
    explainUnlisted: ['x', { programs: ['ls'], subcommands: ['log'], interpreters: ['awk'] }],
    explainForeign: ['/a/x'],
    explainUntrustedPath: ['/a/x'],
    explainObjection: ['grep', { kind: 'missing', part: 'value', option: '-e' }],
    explainUnsure: [{ kind: 'syntax', text: 'if' }],
    explainFeature: ['pipe'],
    explainBackground: [],
    explainRedirect: ['> a'],
    explainAssignment: ['PATH'],
    explainDisaster: ['removes-home'],
    explainForkBomb: [':'],
    explainRepositoryKey: ['core.pager', '/a'],
    explainRepositoryProgram: ['core.pager', '/a'],
    explainHook: ['/a'],
    explainRepositoryUnreadable: ['/a', 'EACCES'],
    explainRepositoryUnknown: [],
    explainDevice: ['/dev/x'],
    explainSystemPath: ['a', '/etc'],
    explainLeaves: ['a', '/etc', '/w'],
    explainOutside: ['/etc', '/w'],
    explainUnknownPath: ['$x'],
    explainConfirmed: ['x'],
    explainNothing: [],
    explainEndless: [],
    explainRunsCode: [],
  },
  'private-tmp': { notRemoved: ['/tmp/x', 'EBUSY'], stillRemoved: ['/tmp/x'] },
  'sandbox/network': { narrowWildcard: [], suffixWildcard: ['*.com'] },
  'sandbox/macos': { logEnded: ['log', 1] },
  'cli/run': { runningLine: [2000, 5] },
  'mcp/serve': { listeningLine: ['http://x'], tokenLine: ['x'], drainingLine: [] },
  'mcp/install': {
    whereLine: ['/a'],
    ownCommandLine: ['code'],
    unchangedText: ['/a'],
    noObjectInFile: [],
    noObjectAt: ['x'],
    notEditable: ['x'],
  },
}

/** What a host lacks: completes "Read mode needs ...; found: .... To fix it: ...." */
export const unmet: Samples = {
  docker: {
    engineLate: [9],
    engineMissing: ['/s', 'ENOENT', ''],
    remoteEngine: ['DOCKER_HOST=tcp://x'],
    contextUnknown: ['x', '/a'],
    mountMissing: ['/a'],
    otherPlatform: ['haiku'],
    startFailed: ['dockerd', 'exit code 1'],
    imageMissing: ['debian:12'],
    containerFailed: ['no'],
    engineSilent: ['/s', 'no'],
    noShellIn: ['x', ''],
    pausedWords: ['x'],
    shownWrong: ['/a'],
    unfitWorkspaceWords: ['/a', 'system'],
  },
  limits: { withoutSessions: [] },
  platform: {
    addonMissing: [undefined],
    launcherMissing: ['x'],
    noSandboxOn: ['haiku'],
    limitsWithoutAddon: [],
    limitsOnWindows: [],
  },
  'private-tmp': {
    noPrivateTmpOn: ['haiku'],
    privateTmpNotMade: ['/tmp', 'EROFS'],
    privateTmpFailed: ['/tmp', '/tmp/x', 'unsafe', 'EPERM'],
  },
  workspace: {
    unfitRoot: [{ path: '/', why: 'root', listed: true }],
    workspaceInContainer: ['this process is not Node'],
  },
  'sandbox/network': { hostsMissing: ['Windows'] },
  'sandbox/linux': {
    landlockMissing: ['ENOSYS'],
    seccompMissing: ['EINVAL'],
    pidfdMissing: [],
    signalScopeMissing: [6, 3, 'EBUSY'],
    coreDumpsLeave: ['EPERM'],
    watcherMissing: ['EACCES'],
    unixSocketsMissing: [9, 'ABI 6'],
    workspaceMissing: [3, 2, undefined],
  },
  'sandbox/macos': { sandboxExecMissing: ['x'], protectedHasLinks: [{ path: '/a', why: 'too-many' }] },
  'sandbox/windows': {
    windowsReads: [],
    lowTempMissing: ['C:/x', 'EACCES'],
    privilegeMissing: [],
    lowIntegrityMissing: [0, 0x2000, false],
  },
}

/** Functions that return several lines or a record; the tests of their faces compare those. */
export const outputs: Samples = {
  config: { describeIgnoredValues: [[ignored]] },
  limits: { limitAdvice: ['memory'] },
  'cli/run': {
    prefixed: ['x'],
    configTable: [[{ key: 'shell.mode', text: '"read"', source: 'default', where: '' }]],
    trustedText: [['/a'], [ignored], [ignored]],
    internalError: ['Error: x'],
    afterLines: [{ outcome: { kind: 'timed-out', afterMs: 9 }, denials: [denial], hint: 'x.' }],
  },
}
