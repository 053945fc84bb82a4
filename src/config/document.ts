import * as v from 'valibot'
import { type KeyEntry, keyEntries, type SectionName, sectionNames, sections } from './schema.ts'

/** The schema of a whole config file; config.schema.json is generated from it. */
export function documentSchema() {
  const tables = sectionNames.map((section) => [section, v.optional(sectionSchema(section))])
  return v.strictObject(Object.fromEntries(tables) as Record<SectionName, v.GenericSchema>)
}

function sectionSchema(section: SectionName) {
  const entries = [...keyEntries.values()].filter((entry) => entry.section === section)
  const properties = entries.map((entry) => [entry.name, propertySchema(entry)])
  const table = v.strictObject(Object.fromEntries(properties) as Record<string, v.GenericSchema>)
  return v.pipe(table, v.description(sections[section].about))
}

function propertySchema({ schema, about, fallback }: KeyEntry) {
  return v.optional(v.pipe(schema(), v.description(about)), () => fallback)
}
