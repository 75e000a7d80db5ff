/** Operators who change and remove animals with the real commands, two at once, and who are killed at times. */
import { inspect } from 'node:util'
import { exitCodes } from '../../infra/command-line/user-error.ts'
import { ChangeAudit } from '../../infra/operations/environment/change-audit.ts'
import { removePets } from '../../infra/operations/pets/remove.ts'
import { setPets } from '../../infra/operations/pets/set.ts'
import { type NewPet, petStatuses } from '../../shared/pets/pet.ts'
import { type Operators, openEnvironmentAt, runCommand } from './operators.ts'
import type { Random } from './random.ts'

/** A command on one animal. */
interface PetCommand {
  readonly name: 'set' | 'remove'
  readonly id: bigint
  readonly values: Partial<NewPet>
}

/** The animals that operators change most. */
const newestAnimals = 50

/** Starts operators. Now and then two of them change the same animal at once. */
export const startPetOperators = async (operators: Operators): Promise<void> => {
  const { random, isClosing, petRules, rest } = operators
  const own = random.fork()
  while (!isClosing()) {
    await rest(own.untilNext(60) * 1_000)
    const ids = petRules.listAcknowledged()
    const isNew = own.chance(0.5)
    const id = ids[own.integer(isNew ? Math.max(0, ids.length - newestAnimals) : 0, ids.length - 1)]
    if (id === undefined || isClosing()) continue
    const commands = [drawCommand(own, id), drawCommand(own, id)].slice(own.integer(0, 1))
    await Promise.all(commands.map((command) => runPetCommand(operators, own, command)))
  }
}

const drawCommand = (random: Random, id: number): PetCommand => ({
  name: random.chance(0.2) ? 'remove' : 'set',
  id: BigInt(id),
  values: random.chance(0.3) ? { categoryId: BigInt(random.integer(1, 9)) } : { status: random.pick(petStatuses) },
})

const runPetCommand = async (operators: Operators, random: Random, { name, id, values }: PetCommand): Promise<void> => {
  const { time, history, petRules } = operators
  await time.pause(random.between(0, 20))
  history.note(String(id), `an operator runs ${name} ${inspect(values)}`)
  if (name === 'remove') petRules.expectRemoval(Number(id))

  const { outcome } = await runCommand(operators, {
    kind: `pets ${name}`,
    subject: String(id),
    killProbability: 0.02,
    run: (process) => {
      const environment = openEnvironmentAt(operators, process)
      const { who, clock } = process
      const audit = new ChangeAudit(environment, { who, clock })
      return name === 'set' ? setPets(environment, audit, [id], values) : removePets(environment, audit, [id])
    },
    isConflict: ({ error, result }) => {
      // Another operator may have removed the animal that this one changes.
      const isGone =
        name === 'set' && petRules.isRemovable(Number(id)) && /^No pet has the id/.test(Object(error).message)
      return isGone || result?.exitCode === exitCodes.conflict
    },
  })
  if (name === 'remove' && outcome === 'done') petRules.confirmRemoval(Number(id))
}
