import {
  checkGh,
  checkLsof,
  checkMan,
  checkSs,
  checkTar,
  checkTput,
  checkUnzip,
  pathsOfTar,
  pathsOfUnzip,
} from '../checks/tools.ts'
import { safe, safeForms } from './safe.ts'

const words = { are: 'words' } as const

export const toolRules = [
  safeForms('tar', { check: checkTar, paths: pathsOfTar }),
  safeForms('unzip', { check: checkUnzip, paths: pathsOfUnzip }),
  safeForms('lsof', { check: checkLsof }),
  // -K kills sockets, -D writes, -F reads a file, -r asks name servers, -N enters a namespace.
  safe('ss', {
    operands: words,
    check: checkSs,
    options: {
      flags: `-tunlpa46xwsemoiHO --tcp --udp --numeric --listening --processes --all --ipv4 --ipv6 --unix --raw --summary --extended
        --memory --options --info --no-header --oneline --version --help`,
    },
  }),
  // -P and -H run programs, -l or a slash formats a file, -C and -M read settings and pages from elsewhere.
  safe('man', {
    operands: words,
    check: checkMan,
    options: { flags: '-afkw --all --whatis --apropos --where --path --version --help' },
  }),
  safeForms('expr', { harmless: true, operands: words, check: () => undefined }),
  safe('tput', { operands: words, check: checkTput }),
  // Options before the subcommand (--config, --context, -H) select other engines, so none is allowed.
  safe('docker ps', {
    operands: { are: 'words', most: 0 },
    options: {
      flags: '-aqsl --all --quiet --size --latest --no-trunc --help',
      valued: '-f -n --filter --format --last',
    },
  }),
  safe('docker logs', {
    operands: { are: 'words', most: 1 },
    options: { flags: '-ft --details --follow --timestamps --help', valued: '-n --tail --since --until' },
  }),
  // --web starts a browser.
  safe('gh pr list', {
    operands: { are: 'words', most: 0 },
    check: checkGh,
    options: {
      flags: '-d --draft --help',
      valued: `-R -L -s -l -A -a -S -B -H -q -t --repo --limit --state --label --author --assignee --search --base --head --json
        --jq --template --app`,
    },
  }),
  safe('gh pr view', {
    operands: { are: 'words', most: 1 },
    check: checkGh,
    options: { flags: '-c --comments --help', valued: '-R -q -t --repo --json --jq --template' },
  }),
]
