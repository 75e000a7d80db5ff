/**
 * Writes `shared/contract/generated/` and the types of the TypeScript client from the contract:
 * `npm run generate`. The files are committed, so that a fresh clone type-checks; tests fail when the
 * files differ from what this writes.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { contractFile, readContract } from './contract.ts'
import { operationModule } from './operation-module.ts'
import { routesModule } from './routes-module.ts'
import { clientTypesModule, typesModule } from './types-module.ts'
import { validatorModule, validatorTypes } from './validator-module.ts'

export const generatedFolder = new URL('../../shared/contract/generated/', import.meta.url)

/** The types of the client beside it, `pet-adoption-client.ts`, which callers copy. */
export const clientTypesFile = new URL('../reference/clients/typescript/pet-adoption-api.ts', import.meta.url)

export const generateClientTypes = (): Promise<string> => clientTypesModule(contractFile)

/** The generated files by name, with their whole text. */
export const generate = async (): Promise<ReadonlyMap<string, string>> => {
  const contract = readContract()
  const files = new Map([
    ['types.ts', await typesModule(contractFile)],
    ['routes.ts', routesModule(contract)],
  ])
  for (const operation of contract.operations.filter(({ isReserved }) => !isReserved)) {
    files.set(`${operation.name}.ts`, operationModule(operation, contract))
    files.set(`${operation.name}.validator.js`, validatorModule(operation, contract))
    files.set(`${operation.name}.validator.d.ts`, validatorTypes)
  }
  return files
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(generatedFolder, { recursive: true, force: true })
  mkdirSync(generatedFolder, { recursive: true })
  for (const [name, text] of await generate()) writeFileSync(new URL(name, generatedFolder), text)
  writeFileSync(clientTypesFile, await generateClientTypes())
}
