import { describe, expect, it } from 'vitest'
import { smokeOwner } from '../../infra/operations/keys/key.ts'
import { isDeployed, keysJson, reach, runNode } from './environments.ts'
import { failingTests } from './known-differences.ts'

describe.skipIf(!isDeployed)('the deployed API', () => {
  it('passes npm run smoke, but for what the emulator is known to do otherwise, which leaves no key', async () => {
    await using staging = await reach('staging')
    const words = ['infra/operations/smoke/smoke.ts', '--env', 'staging', '--json']
    const { output, errors } = await runNode(words, { PET_API_URL: staging.baseUrl })
    const failed = [...errors.matchAll(/^ *FAIL .*?\.test\.ts > (.*)$/gm)].map(([, name]) => name)
    expect([...new Set(failed)].sort(), errors).toEqual(Object.keys(failingTests).sort())
    expect(JSON.parse(output).passed).toBeGreaterThan(150)
    const keys = (await staging.administration.list()).filter(({ owner }) => owner === smokeOwner)
    expect(keys.filter(({ state }) => state !== 'revoked')).toEqual([])
  })

  it('accepts in production the keys of production, and no key of staging', async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    const issue = async (environment: string, ...words: readonly string[]) =>
      (await keysJson('issue', '--env', environment, '--owner', 'x', '--plan', 'free', ...words))['apiKey']
    const test = await issue('staging')
    const live = await issue('production', '--confirm', 'production')
    expect(live).toMatch(/^pet_live_/)
    expect(await production.statusOf(live)).toBe(200)
    expect(await production.statusOf(test)).toBe(401)
    expect(await staging.statusOf(live)).toBe(401)
  })
})
