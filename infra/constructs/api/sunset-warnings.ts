import { Annotations } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { Clock } from '../../../shared/clock.ts'
import type { ContractOperation } from '../../contract/contract.ts'

const warningDays = 90
const millisecondsPerDay = 86_400_000

/** Makes synth warn of each operation whose sunset is less than 90 days ahead, or past. */
export const warnOfSunsets = (scope: Construct, operations: readonly ContractOperation[], clock: Clock): void => {
  for (const { operationId, name, deprecation } of operations) {
    if (deprecation === undefined) continue
    const daysLeft = (Date.parse(deprecation.sunset) - clock()) / millisecondsPerDay
    if (daysLeft > warningDays) continue
    Annotations.of(scope).addWarningV2(
      `pet-adoption:sunset-${name}`,
      `${operationId} responds 404 from ${deprecation.sunset} on: remove it then from the contract and from functions/.`,
    )
  }
}
