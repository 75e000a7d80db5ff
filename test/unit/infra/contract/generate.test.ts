import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { clientTypesFile, generate, generateClientTypes, generatedFolder } from '../../../../infra/contract/generate.ts'

const generated = await generate()

it('has written every file in shared/contract/generated, and no other', () => {
  expect(readdirSync(generatedFolder).sort(), 'Run npm run generate.').toEqual([...generated.keys()].sort())
})

it.each([...generated])('has written the committed text of %s', (name, text) => {
  expect(readFileSync(new URL(name, generatedFolder), 'utf8'), 'Run npm run generate.').toBe(text)
})

it('has written the types beside the TypeScript client', async () => {
  expect(readFileSync(clientTypesFile, 'utf8'), 'Run npm run generate.').toBe(await generateClientTypes())
})
