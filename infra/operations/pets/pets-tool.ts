import { type EnvironmentTool, environmentTool } from '../target/carry-out.ts'
import { addExport } from './export.ts'
import { addImport } from './import.ts'
import { addRemove, addSet, addShow } from './some-pets.ts'

export const petsTool = (): EnvironmentTool => {
  const description =
    'Exports, imports, shows, changes and removes pets. Files are CSV, or JSON Lines where their name ends in .jsonl.'
  const pets: EnvironmentTool = environmentTool('npm run --silent pets --', description)
  for (const add of [addExport, addImport, addShow, addSet, addRemove]) add(pets)
  return pets
}
