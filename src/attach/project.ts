import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { errorText, tried } from '../base/errno.ts'
import { isTable } from '../base/table.ts'
import { visible } from '../base/text.ts'
import type { Environment } from '../base/types.ts'
import { isTrustedFile, parseToml } from '../internal.ts'
import type { Client, ProjectSettings } from './client.ts'

/** Why a project's settings keep calls from coming to vitrine, or may: a sentence for each file. None: they do not. */
export async function overridesIn(
  { project, name }: Client,
  directory: string,
  env: Environment,
): Promise<readonly string[]> {
  if (!project) return []
  const own = tried(() => realpathSync(project.users(env)))
  const said: string[] = []
  for (const file of project.files.map((each) => join(directory, each))) {
    const text = tried(() => readFileSync(file, 'utf8'))
    if (text === undefined || tried(() => realpathSync(file)) === own) continue
    const reasons = await reasonsOf(text, file, project)
    if (reasons.length > 0 && !(await isTrustedFile(file, text, env)))
      said.push(
        `The settings of this project can lead ${name} around vitrine: ${visible(file)} has ${reasons.map(visible).join(', ')}. ` +
          `Once you have read it, "vitrine config trust ${visible(file)}" allows it as it is.`,
      )
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
