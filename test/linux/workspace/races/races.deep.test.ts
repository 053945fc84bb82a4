import { describeRaces, operations, quickOperations } from './races.ts'

describeRaces(operations.filter((operation) => !quickOperations.includes(operation)))
