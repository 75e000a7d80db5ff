import { Annotations } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { readContract } from '../contract/contract.ts'
import { describeDueSunsets } from '../contract/due-sunsets.ts'
import { findRegionInfo, readRegion } from './check-settings.ts'
import type { ServiceStackProps } from './data-stack.ts'

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

  for (const sentence of describeDueSunsets(readContract(), clock)) warn('sunset', sentence)
}
