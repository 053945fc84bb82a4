import { whyNoEngine } from './dockerd.ts'

/** Before the first test of docker/: an engine that does not start here is a reason to skip them all. */
export default async function setup(): Promise<void> {
  const reason = await whyNoEngine()
  if (reason !== null) process.env['VITRINE_NO_ENGINE'] = reason
}
