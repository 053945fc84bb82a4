import {
  checkCommand,
  checkDate,
  checkDoubleBracket,
  checkExport,
  checkNumber,
  checkPrintf,
  checkRead,
  checkSet,
  checkTest,
} from '../checks/builtins.ts'
import { safe, safeAll, safeForms } from './safe.ts'

const words = { are: 'words' } as const
const none = { are: 'words', most: 0 } as const

export const shellRules = [
  safeForms('echo', { harmless: true, operands: words, check: () => undefined }),
  safeForms('printf', { operands: words, check: checkPrintf }),
  ...['test', '['].map((name) => safeForms(name, { check: checkTest })),
  safeForms('[[', { check: checkDoubleBracket }),
  ...['true', 'false', ':'].map((name) => safeForms(name, { operands: words })),
  safe('cd', { harmless: true, options: { flags: '-LPe' } }),
  safe('read', { operands: words, check: checkRead, options: { flags: '-rs', valued: '-d -n -t -p' } }),
  ...['exit', 'return', 'break', 'continue', 'shift'].map((name) =>
    safeForms(name, { operands: words, check: checkNumber }),
  ),
  safeForms('set', { operands: words, check: checkSet }),
  safe('command', { operands: words, check: checkCommand, options: { flags: '-vVp' } }),
  safe('type', { operands: words, harmless: true, options: { flags: '-aftpP' } }),
  safe('which', { operands: words, harmless: true, options: { flags: '-as --all' } }),
  safe('wait', { operands: none }),
  safeForms('history', { operands: words, check: checkNumber }),
  safe('export', { operands: words, check: checkExport }),
  safe('pwd', { operands: none, options: { flags: '-LP --logical --physical' } }),
  safe('sleep', { operands: words }),
  safe('seq', {
    operands: words,
    harmless: true,
    options: { flags: '-w --equal-width', valued: '-f -s -t --format --separator', numbers: true },
  }),
  // An operand or -F sets the name.
  safe('hostname', {
    operands: none,
    options: {
      flags:
        '-aAdfiIsyV --alias --domain --fqdn --long --ip-address --all-ip-addresses --short --version --help',
    },
  }),
  // -s and an operand set the clock.
  safe('date', {
    operands: words,
    check: checkDate,
    options: {
      flags: '-uR --utc --universal --rfc-email --version --help',
      valued: '-d --date',
      attached: '-I --iso-8601 --rfc-3339',
    },
  }),
  // An operand other than an assignment is a command.
  safe('env', { operands: none, options: { flags: '-0 --null --version --help' } }),
  safe('printenv', { operands: words, harmless: true, options: { flags: '-0 --null --version --help' } }),
  safe('whoami', { operands: none, options: { flags: '--version --help' } }),
  safe('uname', {
    operands: none,
    options: {
      flags: `-asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor
        --hardware-platform --operating-system --version --help`,
    },
  }),
  safe('id', {
    operands: words,
    harmless: true,
    options: { flags: '-agGnruzZ --group --groups --name --real --user --zero --version --help' },
  }),
  // arch(1): on macOS it runs a program for another processor.
  safe('arch', { operands: none, options: { flags: '--version --help' } }),
  // An operand is a file to read instead of utmp(5).
  ...safeAll('users who', {
    harmless: true,
    options: {
      flags:
        '-abdHlmpqrstTuw --all --boot --dead --heading --login --message --mesg --count --process --runlevel --short --time --users --lookup --version --help',
    },
  }),
  ...safeAll('groups logname tty nproc uptime w locale', {
    operands: words,
    harmless: true,
    options: { flags: '-amsapuHlbrtdTqkcf --all --all-locales --pretty --since --version --help' },
  }),
  safe('getconf', { operands: words, harmless: true, options: { flags: '-a' } }),
  safe('free', {
    operands: none,
    options: { flags: '-bkmghtwlv --bytes --kibi --mebi --gibi --human --total --wide --si' },
  }),
  ...safeAll('lscpu lsblk', {
    harmless: true,
    options: {
      flags: '-aeJpyBbcdflmnrtSO --all --json --extended --fs --bytes --nodeps --noheadings --list',
      valued: '-o --output',
    },
  }),
  safeForms('ps', { harmless: true, operands: words, check: () => undefined }),
  safe('pgrep', {
    operands: words,
    harmless: true,
    options: { flags: '-aflnoxicvLw --list-full --list-name --full --exact', valued: '-u -U -P -g -G -t -d' },
  }),
  ...versionForms(
    '--version',
    'node npm python python3 pip pip3 ruby perl java javac php gcc g++ cc clang make cmake docker git curl wget tsc cargo rustc gh',
  ),
  ...versionForms('-version', 'java javac'),
  ...versionForms('-v', 'node npm php perl make tsc'),
  ...versionForms('-V', 'python python3 pip pip3 curl wget'),
]

// Not `python -v` and `ruby -v`, which go on to run their input, nor yarn and go, which run what project
// files name. cargo does so only with a toolchain file (`guardsOf`).
function versionForms(option: string, names: string) {
  return names.split(' ').map((name) => safe(`${name} ${option}`, { operands: none }))
}
