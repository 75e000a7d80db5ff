import { countPets, exportPets, type Report, removePets, setPet, showPets, type Workplace } from './actions.ts'
import { importPets } from './import-action.ts'
import type { PetCommand } from './pet-command.ts'

/** @returns undefined where the pets themselves are the output */
export const carryOut = (place: Workplace, command: PetCommand): Promise<Report | undefined> => {
  switch (command.action) {
    case 'export':
      return exportPets(place, command)
    case 'import':
      return importPets(place, command, command.json)
    case 'show':
      return showPets(place, command.ids)
    case 'set':
      return setPet(place, command)
    case 'remove':
      return removePets(place, command)
    case 'count':
      return countPets(place)
  }
}
