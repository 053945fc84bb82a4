import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorText, tried } from '../base/errno.ts'
import { realPath } from '../base/paths.ts'
import { isTable } from '../base/table.ts'
import { visible } from '../base/text.ts'
import type { Environment } from '../base/types.ts'
import { isTrustedFile, parseToml, upToGitRoot } from '../internal.ts'
import type { Client, ProjectSettings } from './client.ts'

/** By these vitrine finds which settings are the user's, and which files the user trusts. */
const deciding = ['HOME', 'XDG_STATE_HOME', 'CLAUDE_CONFIG_DIR']

/** Why a project's settings keep calls from coming to vitrine, or may: a sentence for each file. None: they do not. */
export async function overridesIn(
  { project, name }: Client,
  directory: string,
  env: Environment,
): Promise<readonly string[]> {
  if (!project) return []
  const said: string[] = []
  const directories = project.isUpward ? upToGitRoot(directory) : [directory]
  for (const file of directories.flatMap((at) => project.files.map((each) => join(at, each)))) {
    const text = tried(() => readFileSync(file, 'utf8'))
    if (text === undefined) continue
    const reasons = await reasonsOf(text, file, project)
    if (reasons.length === 0) continue
    const has = `The settings of this project can lead ${name} around vitrine: ${visible(file)} has ${reasons.map(visible).join(', ')}. `
    if (reasons.some((reason) => deciding.some((variable) => reason === `"env" ${variable}`)))
      said.push(`${has}By that vitrine would look for your own settings elsewhere: take it out.`)
    else if (realPath(file) !== realPath(project.users(env)) && !(await isTrustedFile(file, text, env)))
      said.push(`${has}Once you have read it, "vitrine config trust ${visible(file)}" allows it as it is.`)
  }
  return said
}

async function reasonsOf(text: string, file: string, project: ProjectSettings): Promise<readonly string[]> {
  try {
    const settings = file.endsWith('.toml')
      ? await parseToml({ file, text })
      : (await import('./settings.ts')).settingsIn(text)
    return isTable(settings) ? project.switchesOff(settings) : []
  } catch (error) {
    return [`what vitrine cannot read (${errorText(error)})`]
  }
}
