import { CloudFormationClient, UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation'
import { beforeAll, describe, expect, it } from 'vitest'
import { deploy, destroy } from './emulator/cdk.ts'
import { type DeployedEnvironment, isDeployed, openDeployedEnvironment, runKeysCommand } from './environments.ts'

/** Makes five requests with a new key, three of them over its limit. @returns whether they have banned the key */
const isKeyBannedSoon = async ({ administration, requestStatus }: DeployedEnvironment): Promise<boolean> => {
  const limits = { perMinute: 2, perDay: 2 }
  const { apiKey, record } = await administration.issue({ owner: 'x', plan: 'free', limits })
  for (let count = 0; count < 5; count += 1) await requestStatus(apiKey)
  const { bannedUntil } = await administration.show(record.keyId)
  return bannedUntil > 0
}

/** Sends a preflight, which needs no API key. @returns the status of the response */
const requestPreflight = async ({ baseUrl }: DeployedEnvironment): Promise<number> => {
  const response = await fetch(`${baseUrl}/pets`, { method: 'OPTIONS' })
  return response.status
}

describe.skipIf(!isDeployed)('an environment', () => {
  // The changed version bans keys of staging sooner. Production becomes small: it loses its alarms and its firewall.
  it('an environment keeps its pets and keys when a changed version is deployed', async () => {
    await using staging = await openDeployedEnvironment('staging')
    await using production = await openDeployedEnvironment('production')
    const stagingPet = await staging.addPet()
    const productionPet = await production.addPet()
    expect(await isKeyBannedSoon(staging)).toBe(false)

    await deploy('changed', 'staging/*', 'production/*')

    const stagingResponse = await staging.request(stagingPet.apiKey, stagingPet.path)
    expect(stagingResponse.status).toBe(200)
    const productionResponse = await production.request(productionPet.apiKey, productionPet.path)
    expect(productionResponse.status).toBe(200)
    expect(await isKeyBannedSoon(staging)).toBe(true)
  })
})

describe.skipIf(!isDeployed)('staging, destroyed as the guide says', () => {
  let statusBefore: number
  let statusAfter: number
  let productionStatus: number
  let productionKeyState: string

  beforeAll(async () => {
    await using staging = await openDeployedEnvironment('staging')
    await using production = await openDeployedEnvironment('production')
    await staging.addPet()
    const productionPet = await production.addPet()

    await runKeysCommand('revoke', '--all', '--env', 'staging', '--confirm', 'staging')
    await staging.runGatewayKeys()
    statusBefore = await requestPreflight(staging)
    await destroy('first', 'staging/*')

    statusAfter = await requestPreflight(staging)
    const productionResponse = await production.request(productionPet.apiKey, productionPet.path)
    productionStatus = productionResponse.status
    productionKeyState = (await production.administration.show(productionPet.keyId)).state
  })

  it('production keeps its pets and keys when staging is destroyed', () => {
    expect(productionStatus).toBe(200)
    expect(productionKeyState).toBe('active')
  })

  it('a destroyed environment serves no request', () => {
    expect(statusBefore).toBe(204)
    expect(statusAfter).toBe(404)
  })

  it('a command for a destroyed environment says that it is not deployed', async () => {
    const message = 'The stack pet-adoption-staging-data is not deployed in us-east-1'
    await expect(runKeysCommand('list', '--env', 'staging')).rejects.toThrow(message)
  })
})

// The tests above have destroyed staging, so this is its first deployment. It is protected as production is.
it.skipIf(!isDeployed)(
  'the stack api is deployed again after a failed first deployment when its termination protection is lifted',
  async () => {
    await expect(deploy('failing', 'staging/*')).rejects.toThrow('WaitCondition timed out')
    await expect(deploy('protected', 'staging/api')).rejects.toThrow('TerminationProtection is enabled')

    const StackName = 'pet-adoption-staging-api'
    const lift = new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false })
    await new CloudFormationClient().send(lift)
    await deploy('protected', 'staging/api')

    await using staging = await openDeployedEnvironment('staging')
    const { apiKey, path } = await staging.addPet()
    expect((await staging.request(apiKey, path)).status).toBe(200)
  },
)
