import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation'
import { describe, expect, it } from 'vitest'
import { deploy } from './emulator/cdk.ts'
import { emulator, isDeployed } from './environments.ts'

const StackName = 'pet-adoption-staging-api'

const countSubscriptions = async (): Promise<number> => {
  const pages = paginateListStackResources({ client: new CloudFormationClient({}) }, { StackName })
  const resources = (await Array.fromAsync(pages)).flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries)
  return resources.filter(({ ResourceType }) => ResourceType === 'AWS::SNS::Subscription').length
}

describe.skipIf(!isDeployed)('cdk deploy', () => {
  it('removes a subscription only where it is told so by name', { timeout: 240_000 }, async () => {
    await deploy(emulator().folder, ['staging/*'], { options: ['staging.alarmEmail=ops@example.org'] })
    expect(await countSubscriptions()).toBe(1)

    await expect(deploy(emulator().folder, ['staging/*'])).rejects.toThrow(
      'This deployment would remove the subscription of ops@example.org to alarms from staging: put the option back into infra/settings.json, or add -c staging.remove=subscription if that is meant.',
    )
    expect(await countSubscriptions()).toBe(1)

    await deploy(emulator().folder, ['staging/*'], { options: ['staging.remove=subscription'] })
    expect(await countSubscriptions()).toBe(0)
  })
})
