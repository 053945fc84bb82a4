import { afterAll } from 'vitest'
import { cleanUp } from './helpers/clean-up.ts'

afterAll(cleanUp)
