import { describeRaces } from './few-races.ts'
import { operations, quickOperations } from './races.ts'

describeRaces(operations.filter((operation) => !quickOperations.includes(operation)))
