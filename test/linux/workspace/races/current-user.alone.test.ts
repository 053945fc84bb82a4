import { users } from '../../../attacks/table.ts'
import { describeManyRaces } from './races.ts'

const [user] = users
if (!user) throw new Error('there is no user')
describeManyRaces(user)
