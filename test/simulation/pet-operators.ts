/** Operators who change and remove animals with the real commands, two at once, and who are killed at times. */
import { inspect } from 'node:util'
import { removePets, setPets } from '../../infra/operations/pets/some-pets.ts'
import { type NewPet, petStatuses } from '../../shared/pets/pet.ts'
import { createMortalProcess, type Operators, openEnvironmentAt } from './operators.ts'
import type { Random } from './random.ts'

/** A command on one animal. */
interface Command {
  readonly name: 'set' | 'remove'
  readonly id: bigint
  readonly values: Partial<NewPet>
}

/** The animals that operators change most. */
const newestAnimals = 50

/** Starts operators. Now and then two of them change the same animal at once. */
export const startPetOperators = async (operators: Operators): Promise<void> => {
  const { time, random, mustSucceed, petRules } = operators
  const own = random.fork()
  while (!mustSucceed()) {
    await time.pause(own.untilNext(60) * 1_000)
    const ids = petRules.listAcknowledged()
    const isNew = own.chance(0.5)
    const id = ids[own.integer(isNew ? Math.max(0, ids.length - newestAnimals) : 0, ids.length - 1)]
    if (id === undefined || mustSucceed()) continue
    const commands = [drawCommand(own, id), drawCommand(own, id)].slice(own.integer(0, 1))
    await Promise.all(commands.map((command) => runCommand(operators, own, command)))
  }
}

const drawCommand = (random: Random, id: number): Command => ({
  name: random.chance(0.2) ? 'remove' : 'set',
  id: BigInt(id),
  values: random.chance(0.3) ? { categoryId: BigInt(random.integer(1, 9)) } : { status: random.pick(petStatuses) },
})

const runCommand = async (operators: Operators, random: Random, command: Command): Promise<void> => {
  const { time, history } = operators
  const { name, id, values } = command
  await time.pause(random.between(0, 20))
  history.count('commands')
  history.note(String(id), `an operator runs ${name} ${inspect(values)}`)

  const process = createMortalProcess(operators, 0.02)
  const { audit } = operators.audit.open(process)
  const environment = openEnvironmentAt(operators, process)
  const change = async (): Promise<void> => {
    if (name === 'set') {
      await setPets(environment, audit, [id], values)
      return
    }
    operators.petRules.expectRemoval(Number(id))
    const { exitCode = 0 } = await removePets(environment, audit, [id], undefined)
    if (exitCode === 0) operators.petRules.confirmRemoval(Number(id))
  }
  try {
    await Promise.race([change(), process.killed])
  } catch (error) {
    history.note(String(id), `${name} failed: ${error}`)
    if (!(error instanceof Error)) throw error
  }
}
