import { describeRaces } from './few-races.ts'
import { quickOperations } from './races.ts'

describeRaces(quickOperations)
