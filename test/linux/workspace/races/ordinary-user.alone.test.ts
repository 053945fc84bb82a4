import { it } from 'vitest'
import { users } from '../../../attacks/table.ts'
import { describeManyRaces } from './races.ts'

const [, ordinary] = users
if (ordinary) describeManyRaces(ordinary)
else it.skip('races as an ordinary user: current-user.alone.test.ts makes them')
