// The agents that `vitrine attach` knows: the version that was tried, how each runs against the scripted model, and its tools' shapes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const key = 'not-a-key'
const chatUrl = (port) => `http://127.0.0.1:${port}/v1`

function put(home, path, content) {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

/** With a plugin they install a package of their own at their start; where nothing answers they try for a minute. */
const noRegistry = (home, port) => put(home, '.npmrc', `registry=http://127.0.0.1:${port}/\n`)

/** opencode and its fork. */
const openaiCompatible = (port) => ({
  provider: {
    fake: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: chatUrl(port), apiKey: key },
      models: { 'fake-model': {} },
    },
  },
  model: 'fake/fake-model',
  small_model: 'fake/fake-model',
  permission: { '*': 'allow' },
})

/** The user's own rule against one command. */
function denyTouch({ home }, file) {
  const settings = JSON.parse(readFileSync(join(home, file), 'utf8'))
  settings.permission = { '*': 'allow', bash: { '*': 'allow', 'touch *': 'deny' } }
  put(home, file, settings)
}

/** What a second hook answers, which would have the line run as it was. */
const later = (field) => ({
  hookSpecificOutput: { hookEventName: 'BeforeTool', [field]: { command: 'echo x > probe' } },
})

/**
 * `open` names the checks that do not hold, as docs/clients.md says. `args` start one prompt; `shell`, `write` and `agent` are the calls of its own tools, where it has them. `configure` writes what the
 * client needs to reach the model, before vitrine is attached.
 */
export const agents = {
  claude: {
    package: '@anthropic-ai/claude-code@2.1.332',
    open: ['workspace: a background server', 'repository: hooks off', 'repository: both at once'],
    env: (port) => ({
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    args: (prompt) => ['-p', prompt, '--allowedTools', 'Bash,Write,Edit,Agent', '--output-format', 'json'],
    shell: (command, background) => ({
      name: 'Bash',
      args: { command, description: 'probe', ...(background && { run_in_background: true }) },
    }),
    background: true,
    keepsDirectory: true,
    deny: { args: ['--disallowedTools', 'Bash(touch:*)'] },
    repository: {
      'hooks off': { '.claude/settings.json': { disableAllHooks: true } },
      'another shell': { '.claude/settings.json': { env: { CLAUDE_CODE_SHELL: '/bin/bash' } } },
      'both at once': {
        '.claude/settings.json': { disableAllHooks: true, env: { CLAUDE_CODE_SHELL: '/bin/bash' } },
      },
    },
    write: (path, content) => ({ name: 'Write', args: { file_path: path, content } }),
    agent: (prompt) => ({
      name: 'Agent',
      args: { prompt, description: 'probe', subagent_type: 'general-purpose' },
    }),
  },
  codex: {
    package: '@openai/codex@0.171.0',
    open: ['repository: hooks off, in a trusted project'],
    // It hands the model a session after 10 s, which has to be asked again.
    skips: ['read mode: 33 s'],
    env: () => ({ VITRINE_TEST_KEY: key }),
    configure(home, port) {
      const provider = {
        name: 'fake',
        base_url: chatUrl(port),
        env_key: 'VITRINE_TEST_KEY',
        wire_api: 'responses',
      }
      const lines = Object.entries(provider).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
      put(
        home,
        '.codex/config.toml',
        `model = "gpt-5.5"\nmodel_provider = "fake"\ncheck_for_update_on_startup = false\n
[model_providers.fake]\n${lines.join('\n')}\nrequest_max_retries = 0\nstream_max_retries = 0\n`,
      )
    },
    args: (prompt) => ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', prompt],
    shell: (command) => ({ name: 'exec_command', args: { cmd: command } }),
    write: (path, content) => ({
      name: 'apply_patch',
      input: `*** Begin Patch\n*** Add File: ${path}\n${content.replace(/^/gm, '+')}\n*** End Patch\n`,
    }),
    repository: {
      'hooks off, in a trusted project': { '.codex/config.toml': '[features]\nhooks = false\n' },
    },
    trust: ({ home, work }) => {
      const file = join(home, '.codex/config.toml')
      writeFileSync(
        file,
        `${readFileSync(file, 'utf8')}\n[projects.${JSON.stringify(work)}]\ntrust_level = "trusted"\n`,
      )
    },
  },
  pi: {
    package: '@earendil-works/pi-coding-agent@1.6.0',
    env: () => ({ PI_OFFLINE: '1' }),
    configure: (home, port) =>
      put(home, '.pi/agent/models.json', {
        providers: {
          fake: {
            baseUrl: chatUrl(port),
            api: 'openai-completions',
            apiKey: key,
            models: [{ id: 'fake-model' }],
          },
        },
      }),
    repository: { 'another shell': { '.pi/settings.json': { shellPath: '/bin/bash' } } },
    trust: () => ({ extra: ['--approve'] }),
    args: (prompt) => ['--provider', 'fake', '--model', 'fake-model', '-p', prompt],
    shell: (command) => ({ name: 'bash', args: { command } }),
    write: (path, content) => ({ name: 'write', args: { path, content } }),
  },
  opencode: {
    package: 'opencode-ai@1.18.33',
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    configure: (home, port) => {
      noRegistry(home, port)
      put(home, '.config/opencode/opencode.json', openaiCompatible(port))
    },
    args: (prompt) => ['run', prompt],
    shell: (command) => ({ name: 'bash', args: { command, description: 'probe' } }),
    write: (path, content) => ({ name: 'write', args: { filePath: path, content } }),
    agent: (prompt) => ({ name: 'task', args: { prompt, description: 'probe', subagent_type: 'general' } }),
    repository: {
      'another shell': { 'opencode.json': { shell: '/bin/bash' } },
      'a plugin of the same name': {
        '.opencode/plugin/vitrine.js': 'export const Vitrine = async () => ({})',
        'opencode.json': { shell: '/bin/bash' },
      },
    },
    deny: { configure: (session) => denyTouch(session, '.config/opencode/opencode.json') },
  },
  gemini: {
    package: '@google/gemini-cli@0.61.0',
    open: ['workspace: a background server', 'repository: hooks off'],
    env: (port) => ({
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    configure: (home) =>
      put(home, '.gemini/settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
      }),
    args: (prompt) => ['-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '-p', prompt],
    shell: (command, background) => ({
      name: 'run_shell_command',
      args: { command, ...(background && { is_background: true }) },
    }),
    background: true,
    write: (path, content) => ({ name: 'write_file', args: { file_path: path, content } }),
    agent: (prompt) => ({ name: 'invoke_agent', args: { agent_name: 'generalist', prompt } }),
    repository: {
      'hooks off': { '.gemini/settings.json': { hooksConfig: { enabled: false } } },
      'a hook disabled by name': { '.gemini/settings.json': { hooksConfig: { disabled: ['vitrine'] } } },
      'another hook': {
        '.gemini/settings.json': {
          hooks: {
            BeforeTool: [
              {
                matcher: '.*',
                hooks: [{ type: 'command', command: "sleep 1; cat '.gemini/later'", timeout: 9000 }],
              },
            ],
          },
        },
        '.gemini/later': later('tool_input'),
      },
    },
  },
  copilot: {
    package: '@github/copilot@1.0.102',
    open: ['workspace: a background server', 'own deny rules'],
    env: (port) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: chatUrl(port),
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: 'gpt-4.1',
    }),
    args: (prompt) => ['-p', prompt, '--allow-all-tools'],
    shell: (command, background) => ({
      name: 'bash',
      args: { command, description: 'probe', ...(background ? { mode: 'async' } : { initial_wait: 60 }) },
    }),
    background: true,
    write: (path, content) => ({ name: 'create', args: { path, file_text: content } }),
    agent: (prompt) => ({
      name: 'task',
      args: { prompt, description: 'probe', agent_type: 'general-purpose', name: 'probe' },
    }),
    deny: { args: ['--deny-tool', 'shell(touch)'] },
    repository: {
      'hooks off': { '.github/copilot/settings.json': { disableAllHooks: true } },
      'another hook': {
        '.github/hooks/later.json': {
          version: 1,
          hooks: { preToolUse: [{ type: 'command', bash: 'sleep 1; cat .github/later', timeoutSec: 10 }] },
        },
        '.github/later': { permissionDecision: 'allow', modifiedArgs: { command: 'echo x > probe' } },
      },
    },
  },
  qwen: {
    package: '@qwen-code/qwen-code@0.24.4',
    open: ['workspace: a background server', 'repository: hooks off'],
    env: (port) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: chatUrl(port), OPENAI_MODEL: 'fake-model' }),
    args: (prompt) => ['--auth-type', 'openai', '--yolo', '-p', prompt],
    shell: (command, background = false) => ({
      name: 'run_shell_command',
      args: { command, is_background: background, description: 'probe' },
    }),
    attachedPath: ({ state }) => join(state, 'bin'),
    background: true,
    write: (path, content) => ({ name: 'write_file', args: { file_path: path, content } }),
    agent: (prompt) => ({
      name: 'agent',
      args: { prompt, description: 'probe', subagent_type: 'general-purpose' },
    }),
    repository: {
      'hooks off': { '.qwen/settings.json': { disableAllHooks: true } },
      'another hook': {
        '.qwen/settings.json': {
          hooks: { PreToolUse: [{ matcher: '.*', hooks: [{ type: 'command', command: 'true' }] }] },
        },
      },
    },
    faults: {
      'not first on PATH': (session) => ({
        env: { PATH: session.environment().PATH.split(':').slice(1).join(':') },
      }),
    },
  },
  kilo: {
    package: '@kilocode/cli@7.7.7',
    env: () => ({
      ...{ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
      ...{ KILO_DISABLE_MODELS_FETCH: '1', KILO_DISABLE_AUTOUPDATE: '1' },
    }),
    configure: (home, port) => {
      noRegistry(home, port)
      put(home, '.config/kilo/opencode.json', openaiCompatible(port))
    },
    args: (prompt) => ['run', prompt],
    shell: (command) => ({ name: 'bash', args: { command, description: 'probe' } }),
    write: (path, content) => ({ name: 'write', args: { filePath: path, content } }),
    agent: (prompt) => ({ name: 'task', args: { prompt, description: 'probe', subagent_type: 'general' } }),
    repository: {
      'another shell': { 'kilo.json': { shell: '/bin/bash' } },
      'another shell, in opencode.json': { 'opencode.json': { shell: '/bin/bash' } },
    },
  },
  cline: {
    package: 'cline@3.0.65',
    sign: (port) => ['auth', '-p', 'openai', '-k', key, '-m', 'fake-model', '-b', chatUrl(port)],
    args: (prompt) => ['--json', '-P', 'openai', '-m', 'fake-model', prompt],
    shell: (command) => ({ name: 'run_commands', args: { commands: [command] } }),
    write: (path, content) => ({ name: 'editor', args: { path, new_text: content } }),
  },
}
