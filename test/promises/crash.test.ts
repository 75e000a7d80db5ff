import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demoKeys } from '../../infra/local/demo-data.ts'
import { PetAdoptionClient } from '../../infra/reference/clients/typescript/pet-adoption-client.ts'
import { spawnEnvironmentProcess, startEnvironmentProcess } from '../fixtures/environment/local-environment.ts'
import { shouldSkip } from '../fixtures/machine/size.ts'
import { createTemporaryFolder } from '../fixtures/machine/temporary-folder.ts'

const killCount = 6
const folder = createTemporaryFolder()

/** The last demo key, which has the largest limits. */
const apiKey = demoKeys.at(-1)?.apiKey ?? ''

/** Adds pets until the environment is gone. Calls `acknowledge` with the id of each acknowledged pet. */
const addPets = async (client: PetAdoptionClient, acknowledge: (id: unknown) => void): Promise<never> => {
  for (;;) {
    const pet = await client.createPet({ name: 'Bella', categoryId: 1 })
    acknowledge(pet.id)
  }
}

/** Expects that all acknowledged pets are in the list, and that each listed pet is found by its id. */
const expectPets = async (baseUrl: string, acknowledgedIds: ReadonlySet<unknown>): Promise<void> => {
  const client = new PetAdoptionClient({ baseUrl, apiKey })
  const listedPets = await Array.fromAsync(client.pets())
  const listedIds = listedPets.map(({ id }) => id)
  expect(acknowledgedIds.difference(new Set(listedIds)), 'acknowledged, but not in the list').toEqual(new Set())

  // The list may have pets that were stored, but never acknowledged.
  for (const id of listedIds) {
    const response = await fetch(`${baseUrl}/pets/${id}`, { headers: { Authorization: `Bearer ${apiKey}` } })
    expect(response.status, `GET /pets/${id}`).toBe(200)
  }
}

test(`a local environment has every acknowledged pet after it was killed during writes (${killCount} kills)`, async () => {
  const dataFolder = join(folder, 'data')
  const acknowledgedIds = new Set<unknown>()

  for (let kill = 0; kill < killCount; kill += 1) {
    await using running = await startEnvironmentProcess({ dataFolder })
    if (kill > 0) await expectPets(running.baseUrl, acknowledgedIds)

    // The client makes one attempt, because the environment is gone when an attempt fails.
    const client = new PetAdoptionClient({ baseUrl: running.baseUrl, apiKey, attempts: 1 })
    // Each kill comes after another number of pets, while other writes are under way.
    const enoughPets = acknowledgedIds.size + 10 + 7 * kill
    const acknowledge = (id: unknown): void => {
      acknowledgedIds.add(id)
      if (acknowledgedIds.size === enoughPets) running.child.kill('SIGKILL')
    }
    const writers = Array.from({ length: 6 }, () => addPets(client, acknowledge))
    await Promise.all([running.ended, Promise.allSettled(writers)])
  }

  await using running = await startEnvironmentProcess({ dataFolder })
  await expectPets(running.baseUrl, acknowledgedIds)
  expect(acknowledgedIds.size).toBeGreaterThanOrEqual(10 * killCount)
})

/**
 * Creates the words before a command line that run a shell command first, such as a mount, in a mount namespace: no
 * other program sees the mount. It needs no rights of an administrator. The last word is `$0` of the shell, and the
 * command line after it is `$@`.
 */
const createMountPrefix = (mount: string): readonly string[] => [
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  `${mount} && exec "$@"`,
  'sh',
]

/** Creates the words that give a program a disk of its own: a file system in memory, mounted on a folder. */
const createDiskPrefix = (mountOptions: string, mountedFolder: string): readonly string[] =>
  createMountPrefix(`mount -t tmpfs -o ${mountOptions} tmpfs ${mountedFolder}`)

const allowsMounts = (): boolean => {
  const [command = '', ...words] = [...createDiskPrefix('size=64k', folder), 'true']
  return spawnSync(command, words).status === 0
}

// Skipped in continuous integration too, because this project cannot install what a kernel does not allow.
const isSkipped = shouldSkip(
  !allowsMounts(),
  'No full disk is tested: this machine allows no mount namespace (Linux, unshare --user --mount).',
)

test.skipIf(isSkipped).each([
  {
    disk: 'full',
    mountOptions: 'size=16k',
    message: /free some space if its disk is full/,
  },
  {
    disk: 'read-only',
    mountOptions: 'ro',
    message: /^The folder .* cannot be used \(EROFS: .*\)\. Choose another with --data\.\n$/,
  },
])('a start on a $disk disk says what to do', async ({ disk, mountOptions, message }) => {
  const dataFolder = join(folder, disk)
  mkdirSync(dataFolder)

  const { terminal, ended } = spawnEnvironmentProcess({
    dataFolder,
    commandPrefix: createDiskPrefix(mountOptions, dataFolder),
  })

  expect(await ended).toBe(1)
  expect(terminal()).toMatch(message)
  const stackLine = /^\s+at /m
  expect(terminal()).not.toMatch(stackLine)
})

test.skipIf(isSkipped)('a new checkout that is read-only starts with a data folder elsewhere', async () => {
  const project = process.cwd()
  const mounts = [
    // Hides what earlier starts have built.
    `mount -t tmpfs tmpfs ${project}/.build`,
    `mount --rbind ${project} ${project}`,
    `mount -o remount,bind,ro ${project}`,
    `mount -o remount,bind,ro ${project}/.build`,
    `cd ${project}`,
  ]

  await using running = await startEnvironmentProcess({
    dataFolder: join(folder, 'elsewhere'),
    commandPrefix: createMountPrefix(mounts.join(' && ')),
  })

  expect((await fetch(`${running.baseUrl}/pets`)).status).toBe(401)
})
