import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { sized } from '../../../../fixtures/size.ts'
import { temporaryFolder } from '../../local/fixtures.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

/** As strict as TypeScript gets, beyond the settings of this repository: declarations of packages included, without Node's types. */
const strictest = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: [],
    skipLibCheck: false,
  },
  include: ['.'],
  exclude: [],
}

const use = `import { createPetAdoptionClient, dataOf, type NewPet, page, pets } from './pet-adoption-client.js'

const client = createPetAdoptionClient({ baseUrl: 'https://api.example.org/v1', apiKey: 'pet_live_', attempts: 3 })

export const list = async (signal: AbortSignal): Promise<bigint[]> => {
  const found: bigint[] = []
  for await (const pet of pets(client, { status: 'sold' }, { signal })) found.push(BigInt(pet.categoryId))
  const { nextCursor } = await page(client, { limit: 1 }, { signal })
  if (nextCursor !== undefined) await page(client, { cursor: nextCursor })
  const { data, error } = await client.GET('/pets')
  if (error !== undefined) throw new Error(\`\${error.status} \${error.code satisfies string}: \${error.message}\`)
  const id: number | undefined = data[0]?.id
  const bella: NewPet = { name: 'Bella', categoryId: 9_223_372_036_854_775_807n }
  const pet = await dataOf(client.POST('/pets', { body: bella, signal }))
  await client.GET('/pets/{petId}', { params: { path: { petId: id ?? pet.id } } })
  return found
}

export const wrong = async (): Promise<void> => {
  // @ts-expect-error There is no such status.
  pets(client, { status: 'lost' })
  // @ts-expect-error The category is missing.
  await client.POST('/pets', { body: { name: 'Bella' } })
  // @ts-expect-error There is no such path.
  await client.GET('/cats')
  const { data } = await client.GET('/pets')
  // @ts-expect-error It need not have worked.
  data.length
  // @ts-expect-error A category may be a bigint.
  data?.map(({ categoryId }) => categoryId + 1)
}
`

const compile = (project: string): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], (_error, output) =>
      resolve(output),
    )
  })

const folder = temporaryFolder()

it.skipIf(sized(true, false))('the TypeScript client compiles as copied into the strictest project', async () => {
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'junction')
  }
  cpSync(join(root, 'infra/reference/clients/typescript'), folder, { recursive: true })
  writeFileSync(join(folder, 'use.ts'), use)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(strictest))
  expect(await compile(folder)).toBe('')
})
