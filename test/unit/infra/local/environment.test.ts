import { describe, expect, test, vi } from 'vitest'
import { handler } from '../../../../infra/constructs/monitoring/probe-handler.ts'
import { startLocalEnvironment } from '../../../../infra/local/environment.ts'
import { environmentVariables } from '../../../../shared/environment-variables.ts'
import { sharedAssembly } from '../../../fixtures/assembly.ts'
import { temporaryFolder } from './fixtures.ts'

const folder = temporaryFolder()
const quiet = { port: 0, assembly: sharedAssembly, writeLine: () => {} }

describe('An environment in memory', () => {
  test('runs beside another, each with its own data, and releases its ports', async () => {
    const [one, other] = await Promise.all([startLocalEnvironment(quiet), startLocalEnvironment(quiet)])
    const headers = { Authorization: `Bearer ${one.demoKeys[0]?.apiKey}`, 'Content-Type': 'application/json' }
    const body = '{"name":"Only here","categoryId":1}'
    expect((await fetch(`${one.baseUrl}/pets`, { method: 'POST', headers, body })).status).toBe(201)
    const newest = async (baseUrl: string) => (await fetch(`${baseUrl}/pets?limit=1`, { headers })).json()
    expect(await newest(one.baseUrl)).toMatchObject([{ name: 'Only here' }])
    expect(await newest(other.baseUrl)).not.toMatchObject([{ name: 'Only here' }])
    await Promise.all([one.stop(), other.stop()])
    await expect(fetch(one.baseUrl)).rejects.toThrow()
    await expect(fetch(one.databaseEndpoint)).rejects.toThrow()
  })

  test('responds to the probe as it expects, which fails for anything else', async () => {
    const { baseUrl, port, stop } = await startLocalEnvironment(quiet)
    vi.stubEnv(environmentVariables.apiKeyPrefix, 'pet_test_')
    const probe = (url: string) => {
      vi.stubEnv(environmentVariables.baseUrl, url)
      return handler()
    }
    await probe(baseUrl)
    await expect(probe(`http://127.0.0.1:${port}`)).rejects.toThrow('The API responded 404 to the probe')
    await stop()
    await expect(probe(baseUrl)).rejects.toThrow('fetch failed')
    vi.unstubAllEnvs()
  })

  test('does not start when its port is taken or its templates are missing', async () => {
    const first = await startLocalEnvironment(quiet)
    await expect(startLocalEnvironment({ ...quiet, port: first.port })).rejects.toThrow('is taken')
    await first.stop()
    await expect(startLocalEnvironment({ ...quiet, assembly: folder })).rejects.toThrow()
  })
})
