import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, it } from 'vitest'
import { buildNpmPackage, packFiles, readPackageFiles } from '../../../../../infra/reference/packages/npm-package.ts'
import { buildWheel } from '../../../../../infra/reference/packages/wheel.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'
import { hasPip, node, python, runProgram } from '../clients/programs.ts'

const { url, apiUrl } = inject('reference')
const root = fileURLToPath(new URL('../../../../../', import.meta.url))

const readExample = (path: string): string => {
  const example = readFileSync(join(root, 'infra/reference/clients', path), 'utf8')
  return example.replace('http://127.0.0.1:3000/v1', apiUrl)
}

/** Creates a project with the npm package that the page serves. @returns its folder */
const installNpmPackage = async (): Promise<string> => {
  const project = createTemporaryFolder()
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const cache = createTemporaryFolder()
  const options = ['--no-audit', '--no-fund', '--cache', cache]
  await runProgram('npm', ['install', ...options, `${url}clients/${buildNpmPackage().name}`], project)
  return project
}

it('the npm package is installed from the page, and runs the example', async () => {
  const project = await installNpmPackage()
  const example = readExample('typescript/example.ts').replace('./pet-adoption-client.ts', 'pet-adoption-client')
  writeFileSync(join(project, 'example.js'), example)

  const output = await runProgram(node, ['example.js'], project)

  expect(output.trimEnd()).toMatch(/\d{10,} Bella$/)
})

it('the npm package has the types of the client', async () => {
  const project = await installNpmPackage()
  const source = `import { PetAdoptionClient, type Pet } from 'pet-adoption-client'
    const client = new PetAdoptionClient({ baseUrl: '${apiUrl}', apiKey: 'a' })
    export const names: readonly string[] = (await client.page()).pets.map((pet: Pet) => pet.name)
    // @ts-expect-error: a pet needs a category.
    export const bella = client.createPet({ name: 'Bella' })`
  writeFileSync(join(project, 'typed.ts'), source)

  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom']
  await runProgram(process.execPath, [compiler, '--noEmit', ...options, 'typed.ts'], project)
})

it('the same sources make the same npm package', () => {
  const packageFile = join(createTemporaryFolder(), 'package.tgz')

  packFiles(readPackageFiles(), packageFile)

  expect(readFileSync(packageFile).equals(buildNpmPackage().body)).toBe(true)
})

it('the same sources make the same wheel', () => {
  expect(buildWheel().body.equals(buildWheel().body)).toBe(true)
})

it('the packages have the same version', () => {
  const [, npmVersion] = /-(\d+\.\d+\.\d+)\.tgz$/.exec(buildNpmPackage().name) ?? []

  expect(buildWheel().name).toBe(`pet_adoption-${npmVersion}-py3-none-any.whl`)
})

it('the guide of the clients names the packages', () => {
  const guide = readFileSync(join(root, 'infra/reference/clients/README.md'), 'utf8')

  expect(guide).toContain(`/clients/${buildNpmPackage().name}\n`)
  expect(guide).toContain(`/clients/${buildWheel().name}\n`)
})

it.skipIf(!hasPip())('the wheel is installed from the page, and runs the example', async () => {
  const environment = createTemporaryFolder()
  await runProgram(python, ['-m', 'venv', environment])
  const installed = join(environment, process.platform === 'win32' ? 'Scripts/python' : 'bin/python')
  const options = ['--no-index', '--no-cache-dir', '--disable-pip-version-check']
  await runProgram(installed, ['-m', 'pip', 'install', ...options, `${url}clients/${buildWheel().name}`])
  writeFileSync(join(environment, 'example.py'), readExample('python/example.py'))

  const output = await runProgram(installed, ['-W', 'error', 'example.py'], environment)

  expect(output.trimEnd()).toMatch(/\d{10,} Bella$/)
})
