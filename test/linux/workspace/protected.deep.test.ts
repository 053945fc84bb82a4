import { describeAttacks } from './attacks/attack.ts'
import { rows } from './protected-rows.ts'

describeAttacks('what workspace mode protects is reached by no other name', rows)
