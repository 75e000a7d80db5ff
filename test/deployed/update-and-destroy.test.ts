import { describe, expect, it } from 'vitest'
import { deploy, destroy, synthesize } from './emulator/cdk.ts'
import {
  type DeployedEnvironment,
  isDeployed,
  openDeployedEnvironment,
  readStackOutput,
  runKeysCommand,
} from './environments.ts'

/** Makes five requests with a new key, three of them over its limit. @returns whether they have banned the key */
const isKeyBannedSoon = async ({ administration, requestStatus }: DeployedEnvironment): Promise<boolean> => {
  const allowance = { perMinute: 2, perDay: 2 }
  const { apiKey, record } = await administration.issue({ owner: 'x', plan: 'free', allowance })
  for (let count = 0; count < 5; count += 1) await requestStatus(apiKey)
  const { bannedUntil } = await administration.show(record.keyId)
  return bannedUntil > 0
}

describe.skipIf(!isDeployed)('an environment', () => {
  // The changed version bans keys of staging sooner. Production becomes small: it loses its alarms and its firewall.
  it('an environment keeps its pets and keys when a changed version is deployed', async () => {
    await using staging = await openDeployedEnvironment('staging')
    await using production = await openDeployedEnvironment('production')
    const stagingPet = await staging.addPet()
    const productionPet = await production.addPet()
    expect(await isKeyBannedSoon(staging)).toBe(false)

    await deploy(await synthesize('--changed'), 'staging/*', 'production/*')

    const stagingResponse = await staging.request(stagingPet.apiKey, stagingPet.path)
    expect(stagingResponse.status).toBe(200)
    const productionResponse = await production.request(productionPet.apiKey, productionPet.path)
    expect(productionResponse.status).toBe(200)
    expect(await isKeyBannedSoon(staging)).toBe(true)
  })

  it('an environment is destroyed without the other one', async () => {
    await using staging = await openDeployedEnvironment('staging')
    await using production = await openDeployedEnvironment('production')
    const stagingPet = await staging.addPet()
    const productionPet = await production.addPet()

    await destroy(await synthesize(), 'staging/*')

    const productionResponse = await production.request(productionPet.apiKey, productionPet.path)
    expect(productionResponse.status).toBe(200)
    expect((await production.administration.show(productionPet.keyId)).state).toBe('active')
    expect(await staging.requestStatus(stagingPet.apiKey)).not.toBe(200)
    await expect(readStackOutput('pet-adoption-staging-reference', 'ReferenceUrl')).rejects.toThrow(/does not exist/)
    const message = 'The stack pet-adoption-staging-data is not deployed in us-east-1'
    await expect(runKeysCommand('list', '--env', 'staging')).rejects.toThrow(message)
  })
})
