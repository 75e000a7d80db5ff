import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { deriveDemoKeys } from '../../../../infra/local/demo-keys.ts'
import { startLocalEnvironment } from '../../../../infra/local/environment.ts'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { createClients } from '../../../fixtures/clients.ts'
import { editItem } from '../../../fixtures/edit-item.ts'
import { sharedAssembly } from '../../../fixtures/local-environment.ts'
import { createTemporaryFolder } from '../../../fixtures/temporary-folder.ts'

const dataFolder = join(createTemporaryFolder(), 'data')
const [damagedKey, otherKey] = deriveDemoKeys('pet_test_').map(({ apiKey }) => apiKey)
const options = { port: 0, assembly: sharedAssembly, dataFolder }

// Ends an environment with a demo key that cannot be read.
beforeAll(async () => {
  const environment = await startLocalEnvironment(options)
  const { client } = createClients({ name: 'dynalite', endpoint: environment.databaseEndpoint })
  const key = { keyHash: hashApiKey(damagedKey ?? '') }
  await editItem(client, environment.names.tables.apiKeys, key, { minuteLimit: 'sixty', dayLimit: 10n ** 30n })
  await environment.stop()
})

test('An environment with a demo key that cannot be read starts, and names the key', async () => {
  const lines: string[] = []

  const environment = await startLocalEnvironment({ ...options, writeLine: (line) => lines.push(line) })
  onTestFinished(environment.stop)

  expect(lines).toEqual([expect.stringMatching(/^The API key key_\w+ cannot be read: .* no valid minuteLimit\.$/)])
  const headers = { Authorization: `Bearer ${otherKey}` }
  const response = await fetch(`${environment.baseUrl}/pets`, { headers })
  expect(response.status).toBe(200)
})
