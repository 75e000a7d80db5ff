/**
 * Writes `shared/contract/generated/` and the types of the TypeScript client from the contract, and the limits of the
 * plans into README.md, and lints the contract: `npm run generate`. The files are committed, so that a fresh clone type-checks; tests fail when the
 * files differ from what this writes.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { runCommand } from '../command-line/run-command.ts'
import { UserError } from '../command-line/user-error.ts'
import { contractFile, readContract } from './contract.ts'
import { type Finding, isExpected, lint } from './lint.ts'
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

/** The README with the limits of the plans in its table. */
const withPlans = (readme: string): string =>
  Object.entries(fixedPlans).reduce((text, [plan, { perMinute, perDay }]) => {
    const limits = [perMinute, perDay].map((limit) => limit.toLocaleString('en-US'))
    return text.replace(new RegExp(`^(\\| ${plan} \\|).*`, 'im'), `$1 ${limits.join(' | ')} |`)
  }, readme)

const readmeFile = new URL('../../README.md', import.meta.url)

const pathOf = (file: URL): string =>
  fileURLToPath(file).slice(fileURLToPath(new URL('../../', import.meta.url)).length)

const describeFinding = ({ rule, place, message }: Finding): string =>
  `${rule} at ${place}: ${message} Correct shared/contract/openapi.yaml, or add the place to infra/contract/lint-exceptions.ts with a reason.`

/** @returns whether the file had another text */
const write = (file: URL, text: string): boolean => {
  const isChanged = !existsSync(file) || readFileSync(file, 'utf8') !== text
  if (isChanged) writeFileSync(file, text)
  return isChanged
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(async () => {
    const files = new Map([...(await generate())].map(([name, text]) => [new URL(name, generatedFolder), text]))
    const names = [...files.keys()].map(String)
    for (const name of readdirSync(generatedFolder)) {
      const file = new URL(name, generatedFolder)
      if (names.includes(file.href)) continue
      rmSync(file)
      console.log(`deleted ${pathOf(file)}`)
    }
    files.set(clientTypesFile, await generateClientTypes())
    files.set(readmeFile, withPlans(readFileSync(readmeFile, 'utf8')))
    const written = [...files].filter(([file, text]) => write(file, text)).map(([file]) => pathOf(file))
    console.log(written.map((path) => `wrote ${path}`).join('\n') || 'The generated files were up to date.')
    const findings = (await lint(contractFile)).filter((finding) => !isExpected(finding))
    if (findings.length > 0) throw new UserError(findings.map(describeFinding).join('\n'))
  })
}
