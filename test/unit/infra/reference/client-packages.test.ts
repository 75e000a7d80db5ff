import { writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { buildNpmPackage, buildWheel, getPackagePath } from '../../../../infra/reference/client-packages.ts'
import { findEnvironmentsWithWheels, hasBash, oldestNode, runProgram } from '../../../fixtures/machine/programs.ts'
import { readProvided } from '../../../fixtures/machine/provided.ts'
import { chooseBySize, shouldSkip } from '../../../fixtures/machine/size.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'
import { findSection, readCodeBlocks, readPage } from '../../../fixtures/reference/page-text.ts'

const { url, apiUrl } = readProvided('reference')
const root = fileURLToPath(new URL('../../../../', import.meta.url))

const itWithBash = hasBash() ? it : it.skip
const isSmall = shouldSkip(
  chooseBySize(true, false),
  'The wheel is not installed, nor are the types of the npm package checked: "TEST_SIZE=full npm test" does so.',
)
// An installation into an environment of Python takes several seconds.
const environments = isSmall || !hasBash() ? [] : findEnvironmentsWithWheels()

/** Settings of npm and pip: they make no request to a registry, and write no cache. */
const offlineSettings = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_cache: createTemporaryFolder(),
  PIP_NO_INDEX: '1',
  PIP_NO_CACHE_DIR: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
}

/** Reads the code of the chapter about clients that begins with a text. */
const readCode = async (beginning: string): Promise<string> => {
  const code = readCodeBlocks(findSection(await readPage(), 'use-a-client')).find((block) =>
    block.startsWith(beginning),
  )
  if (code === undefined) throw new Error(`The page has no code that begins with ${beginning}`)
  return code
}

/**
 * Saves the example of the page under the name that it gives itself, runs commands of the page, and then the example,
 * as the page says.
 *
 * @param beginning first characters of the example
 * @returns what the example prints
 */
const followPage = async (
  commands: readonly string[],
  beginning: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const example = await readCode(beginning)
  // The example begins with the command that runs it, such as `python3 example.py`.
  const [, run = '', file = ''] = /Run it: `(\w+ (\S+))`/.exec(example) ?? []
  const project = createTemporaryFolder()
  writeFileSync(join(project, file), example)

  const path = `${dirname(oldestNode)}${delimiter}${process.env['PATH']}`
  const script = ['set -e', ...commands, run].join('\n')
  return await runProgram('bash', ['-c', script], project, { ...offlineSettings, ...variables, PATH: path })
}

/** Expects what the example prints: the available pets, one a line, and in the last line the pet that it has added. */
const expectExampleOutput = (output: string): void => {
  // The example first prints a page of three pets in another form. Then it lists the available ones of all pages.
  expect(output.match(/^\d+ .+$/gm)?.length).toBeGreaterThan(3)
  expect(output.trimEnd()).toMatch(/\n\d+ Bella$/)
}

/** Creates a project with the npm package that the page serves. @returns its folder */
const installNpmPackage = async (): Promise<string> => {
  const project = createTemporaryFolder()
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  await runProgram('npm', ['install', `${url}${getPackagePath(buildNpmPackage())}`], project, offlineSettings)
  return project
}

itWithBash('a newcomer installs the npm package from the page, and runs its example unchanged', async () => {
  const output = await followPage([await readCode('npm install ')], '/* Run it: ')

  expectExampleOutput(output)
})

// npm and the compiler take some seconds.
it.skipIf(isSmall)('the npm package has the types of the client', async () => {
  const project = await installNpmPackage()
  const source = `import { PetAdoptionClient, type Pet } from 'pet-adoption-client'
    const client = new PetAdoptionClient({ baseUrl: '${apiUrl}', apiKey: 'a' })
    export const names: readonly string[] = (await client.page()).pets.map((pet: Pet) => pet.name)
    // @ts-expect-error: a pet needs a category.
    export const bella = client.createPet({ name: 'Bella' })
    // @ts-expect-error: the name of a field is misspelt.
    export const milo = client.createPet({ name: 'Milo', categoryId: 1, staus: 'sold' })
    const { nextCursor } = await client.page()
    // The compiler has exactOptionalPropertyTypes, and still accepts undefined.
    export const nextPage = client.page({ cursor: nextCursor, status: undefined }, { signal: undefined })
    // @ts-expect-error: the name of a parameter is misspelt.
    export const page = client.page({ limits: 3 })`
  writeFileSync(join(project, 'typed.ts'), source)

  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--lib',
    'es2022,dom',
  ]
  await runProgram(process.execPath, [compiler, '--noEmit', ...options, 'typed.ts'], project)
})

it('the same sources make the same packages in every time zone', async () => {
  const program = `
    import { buildNpmPackage, buildWheel, getPackagePath } from './infra/reference/client-packages.ts'
    console.log(getPackagePath(buildNpmPackage()), getPackagePath(buildWheel()))`
  const buildIn = (TZ: string) => runProgram(process.execPath, ['--input-type=module', '--eval', program], root, { TZ })

  const [inEast, inWest] = await Promise.all([buildIn('Pacific/Kiritimati'), buildIn('Pacific/Pago_Pago')])

  expect(inEast).toBe(inWest)
})

it('a package that has changed has another URL, so that installations of the earlier one stay valid', () => {
  const wheel = buildWheel()
  const changedWheel = { ...wheel, body: Buffer.concat([wheel.body, Buffer.from('\n')]) }

  expect(getPackagePath(changedWheel)).not.toBe(getPackagePath(wheel))
  expect(getPackagePath(changedWheel)).toMatch(new RegExp(`/${wheel.name}$`))
})

it.each(environments)(
  'a newcomer installs the wheel from the page with requests $requestsVersion, and runs its example unchanged',
  async ({ python, wheels, requestsVersion }) => {
    const environment = await readCode('python3 -m venv ')
    const commands = [environment.replace('python3', python), await readCode('pip install '), 'pip list']

    const output = await followPage(commands, '"""Run it: ', { PIP_FIND_LINKS: wheels })

    expect(output).toContain(requestsVersion)
    expectExampleOutput(output)
  },
)
