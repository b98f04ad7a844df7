-- The table that a commitment, a round and a seat belong to is fixed as the rest of their identity is.

DROP TRIGGER commitment_fixed ON rounds_commitment;
CREATE TRIGGER commitment_fixed BEFORE UPDATE ON rounds_commitment FOR EACH ROW
    WHEN (OLD.status <> 'unused'
          OR (OLD.round_id, OLD.user_id, OLD.table_id, OLD.hall_id, OLD.game, OLD.seed_hash, OLD.seed_secret, OLD.follows_id,
              OLD.created_at)
             IS DISTINCT FROM
             (NEW.round_id, NEW.user_id, NEW.table_id, NEW.hall_id, NEW.game, NEW.seed_hash, NEW.seed_secret, NEW.follows_id,
              NEW.created_at))
    EXECUTE FUNCTION refuse_round_change('is what was committed to, and is spent once');

DROP TRIGGER round_identity_fixed ON rounds_round;
CREATE TRIGGER round_identity_fixed BEFORE UPDATE ON rounds_round FOR EACH ROW
    WHEN ((OLD.id, OLD.commitment_id, OLD.game, OLD.rules_version, OLD.engine_digest, OLD.hall_id, OLD.table_id, OLD.limit_set_id,
           OLD.pay_table_id, OLD.escrow_id, OLD.currency, OLD.head, OLD.opened_at)
          IS DISTINCT FROM
          (NEW.id, NEW.commitment_id, NEW.game, NEW.rules_version, NEW.engine_digest, NEW.hall_id, NEW.table_id, NEW.limit_set_id,
           NEW.pay_table_id, NEW.escrow_id, NEW.currency, NEW.head, NEW.opened_at))
    EXECUTE FUNCTION refuse_round_change('plays on as it was opened');

DROP TRIGGER seat_identity_fixed ON rounds_roundseat;
CREATE TRIGGER seat_identity_fixed BEFORE UPDATE ON rounds_roundseat FOR EACH ROW
    WHEN (NOT OLD.is_open
          OR (OLD.id, OLD.round_id, OLD.index, OLD.user_id, OLD.hall_id, OLD.table_id, OLD.account_id, OLD.client_seed)
             IS DISTINCT FROM
             (NEW.id, NEW.round_id, NEW.index, NEW.user_id, NEW.hall_id, NEW.table_id, NEW.account_id, NEW.client_seed))
    EXECUTE FUNCTION refuse_round_change('stays whose it is, and is left once');
