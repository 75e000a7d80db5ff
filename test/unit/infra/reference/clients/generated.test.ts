import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { clientTypesFile, generateClientTypes } from '../../../../../infra/contract/generate.ts'

it('the types beside the TypeScript client are what the contract says now', async () => {
  expect(readFileSync(clientTypesFile, 'utf8')).toBe(await generateClientTypes())
})
