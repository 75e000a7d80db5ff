import { describe, expect, it } from 'vitest'
import { smokeOwner } from '../../infra/operations/target/smoke-owner.ts'
import { runNode } from './emulator/run.ts'
import { isDeployed, reach } from './environments.ts'

/** test/e2e/smoke-command.test.ts has its other promises. */
describe.skipIf(!isDeployed)('npm run smoke', () => {
  /** But for the id that the emulator does not send. */
  const only = 'what the service needs of API Gateway(?!.*request ids)'

  it('shows on a deployed environment what the service rests on, and leaves no key', async () => {
    await using staging = await reach('staging')
    const words = ['--env', 'staging', '--only', only, '--json']
    const { exitCode, output, errors } = await runNode(['infra/operations/smoke/smoke.ts', ...words], {
      PET_API_URL: staging.baseUrl,
    })
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: expect.stringMatching(/15 passed/) })
    expect(JSON.parse(output)).toMatchObject({ environment: 'staging', passed: 15, failed: 0 })
    const keys = (await staging.administration.list()).filter(({ owner }) => owner === smokeOwner)
    expect(keys.map(({ state }) => state)).toEqual(keys.map(() => 'revoked'))
  })

  it('does not touch production without a confirmation', async () => {
    const { exitCode, errors } = await runNode([
      'infra/operations/smoke/smoke.ts',
      '--env',
      'production',
      '--read-only',
    ])
    expect([exitCode, errors]).toEqual([1, expect.stringContaining('add --confirm production')])
  })
})
