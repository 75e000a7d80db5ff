import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { deriveDemoKeys } from '../../../infra/local/demo-keys.ts'
import {
  createPetAdoptionClient,
  dataOf,
  type PetAdoptionClient,
  pets,
} from '../../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { spawnEnvironmentProcess, startEnvironmentProcess } from '../../fixtures/local-environment.ts'
import { chooseBySize, shouldSkip } from '../../fixtures/size.ts'
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts'

const kills = chooseBySize(2, 6)
const folder = createTemporaryFolder()
const apiKey = deriveDemoKeys('pet_test_').at(-1)?.apiKey ?? ''

/** Adds pets until the environment is gone. */
const addPets = async (client: PetAdoptionClient, acknowledged: Set<unknown>): Promise<never> => {
  const body = { name: 'Bella', categoryId: 1 }
  for (;;) acknowledged.add((await dataOf(client.POST('/pets', { body, params: { header: {} } }))).id)
}

test(`A local environment killed ${kills} times in the middle of writes has everything that it acknowledged`, async () => {
  const dataFolder = join(folder, 'data')
  const acknowledged = new Set<unknown>()
  for (let kill = 0; kill <= kills; kill += 1) {
    await using running = await startEnvironmentProcess({ dataFolder })
    const { baseUrl, child, ended } = running
    const client = createPetAdoptionClient({ baseUrl, apiKey, attempts: 2 })
    const listed = (await Array.fromAsync(pets(client))).map(({ id }) => id)
    expect(acknowledged.difference(new Set(listed)), 'not in the list').toEqual(new Set())
    // Also what was never acknowledged: what is in the list is there by its id.
    const found = listed.map((petId) => dataOf(client.GET('/pets/{petId}', { params: { path: { petId } } })))
    await Promise.all(found)
    if (kill === kills) break
    const enough = acknowledged.size + 10
    const writers = Array.from({ length: 6 }, () => addPets(client, acknowledged))
    const gone = Promise.allSettled(writers)
    while (acknowledged.size < enough) await setTimeout(5)
    // Another moment each time.
    await setTimeout((kill * 137) % 400)
    child.kill('SIGKILL')
    await Promise.all([ended, gone])
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(10 * kills)
})

/** A disk of its own for one process: a file system in memory, in a mount namespace, which asks for no rights. */
const onDisk = (options: string, at: string): readonly string[] => [
  ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
  `mount -t tmpfs -o ${options} tmpfs ${at} && exec "$@"`,
  'sh',
]

const [command = '', ...words] = [...onDisk('size=64k', folder), 'true']
// Also in continuous integration: whether a kernel allows it is not for this project to install.
const isSkipped = shouldSkip(
  spawnSync(command, words).status !== 0,
  'No full disk is tested: this machine allows no mount namespace (Linux, unshare --user --mount).',
)

test.skipIf(isSkipped).each([
  ['full', 'size=16k', /free some space if its disk is full/],
  ['read-only', 'ro', /^The folder .* cannot be used \(EROFS: .*\)\. Choose another with --data\.\n$/],
])('A start on a disk that is %s ends with what to do', async (name, options, sentence) => {
  const dataFolder = join(folder, name)
  mkdirSync(dataFolder)
  const { terminal, ended } = spawnEnvironmentProcess({ dataFolder, commandPrefix: onDisk(options, dataFolder) })
  expect(await ended).toBe(1)
  expect(terminal()).toMatch(sentence)
  expect(terminal()).not.toMatch(/^\s+at /m)
})
