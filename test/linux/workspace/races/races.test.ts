import { describeRaces, quickOperations } from './races.ts'

describeRaces(quickOperations)
