import { UserError } from '../command-line/user-error.ts'
import type { EnvironmentTemplate, LambdaFunction } from './template/environment-template.ts'

/** @throws UserError that names the operations, where there is no function of this one */
export const functionOf = ({ functions }: EnvironmentTemplate, operation: string): LambdaFunction => {
  const all = [...functions.values()]
  const found = all.find((lambda) => lambda.operation === operation)
  if (found !== undefined) return found
  const known = all.flatMap((lambda) => lambda.operation ?? []).toSorted()
  throw new UserError(`There is no operation ${operation}. There are ${known.join(', ')}.`)
}
