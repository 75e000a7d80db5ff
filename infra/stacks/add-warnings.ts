import { Annotations } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { readContract } from '../contract/contract.ts'
import { findRegionInfo, readRegion } from './check-settings.ts'
import type { ServiceStackProps } from './data-stack.ts'

/** Time for which synth warns before the sunset of an operation: 90 days. */
const sunsetWarningMilliseconds = 90 * 24 * 3_600_000

/** Adds the warnings that each synth and each deployment of a stack shows. None of them stops a deployment. */
export const addWarnings = (
  stack: Construct,
  { environment, config }: ServiceStackProps,
  clock: Clock = systemClock,
): void => {
  const warn = (name: string, text: string): void => Annotations.of(stack).addWarningV2(`pet-adoption:${name}`, text)

  if (environment === 'production' && config.alarms && config.alarmEmail === undefined) {
    warn(
      'alarm-email',
      'Nobody receives the alarms of production: set alarmEmail in infra/environments.ts to an e-mail address, ' +
        'or to none if that is meant.',
    )
  }

  const region = readRegion(config)
  if (region !== undefined && findRegionInfo(region) === undefined) {
    warn('region', `CDK knows no AWS Region ${region}: correct ${environment}.region, unless the Region is new.`)
  }

  for (const { operationId, deprecation } of readContract().operations) {
    if (deprecation === undefined || clock() < Date.parse(deprecation.sunset) - sunsetWarningMilliseconds) continue
    warn('sunset', `${operationId} responds 404 from ${deprecation.sunset} on: tell its callers, then remove it.`)
  }
}
