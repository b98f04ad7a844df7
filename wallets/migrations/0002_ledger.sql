-- The ledger below the application. A transfer's insertion is what moves money; nothing else can.

-- Room beside each row, so that a changed balance stays on its page and touches no index.
ALTER TABLE wallets_account SET (fillfactor = 70);


CREATE FUNCTION refuse_account_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'account %', TG_ARGV[0] USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;

CREATE TRIGGER account_opens_empty BEFORE INSERT ON wallets_account FOR EACH ROW
    WHEN (NEW.balance_minor <> 0 OR NEW.sequence <> 0 OR NEW.closed_at IS NOT NULL)
    EXECUTE FUNCTION refuse_account_change('opens empty');

-- Depth 0 is a statement of somebody's; the transfer's own trigger updates at depth 1. Both triggers name their columns, so that
-- the second costs a posting nothing.
CREATE TRIGGER account_moves_by_transfer BEFORE UPDATE OF balance_minor, sequence ON wallets_account FOR EACH ROW
    WHEN (pg_trigger_depth() = 0 AND (OLD.balance_minor, OLD.sequence) IS DISTINCT FROM (NEW.balance_minor, NEW.sequence))
    EXECUTE FUNCTION refuse_account_change('moves by a transfer only');

CREATE TRIGGER account_identity_fixed
    BEFORE UPDATE OF id, public_id, kind, currency, user_id, hall_id, round_reference, opened_at, closed_at
    ON wallets_account FOR EACH ROW
    WHEN ((OLD.id, OLD.public_id, OLD.kind, OLD.currency, OLD.user_id, OLD.hall_id, OLD.round_reference, OLD.opened_at)
          IS DISTINCT FROM
          (NEW.id, NEW.public_id, NEW.kind, NEW.currency, NEW.user_id, NEW.hall_id, NEW.round_reference, NEW.opened_at)
          OR (OLD.closed_at IS NOT NULL AND NEW.closed_at IS DISTINCT FROM OLD.closed_at))
    EXECUTE FUNCTION refuse_account_change('is what it was opened as');

CREATE TRIGGER account_no_delete BEFORE DELETE ON wallets_account FOR EACH ROW
    EXECUTE FUNCTION refuse_account_change('stays');

CREATE TRIGGER account_no_truncate BEFORE TRUNCATE ON wallets_account FOR EACH STATEMENT
    EXECUTE FUNCTION refuse_account_change('stays');


-- Which way money may go. No pair of players: what one loses to another passes through a round's escrow.
CREATE FUNCTION transfer_pair_allowed(debit_kind text, credit_kind text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT (debit_kind, credit_kind) IN (
        ('cage', 'player'), ('player', 'cage'),
        ('player', 'escrow'), ('escrow', 'player'),
        ('house', 'escrow'), ('escrow', 'house'),
        ('escrow', 'rake')
    )
$$;

CREATE FUNCTION transfer_apply() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    side record;
BEGIN
    SELECT debit.kind AS debit_kind, debit.currency, debit.balance_minor AS debit_balance_minor,
           credit.kind AS credit_kind, credit.currency AS credit_currency, credit.balance_minor AS credit_balance_minor
        INTO side FROM wallets_account debit, wallets_account credit
        WHERE debit.id = NEW.debit_account_id AND credit.id = NEW.credit_account_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'transfer without an account' USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'transfer_accounts_exist';
    END IF;
    NEW.currency := coalesce(NEW.currency, side.currency);
    IF NEW.currency <> side.currency OR NEW.currency <> side.credit_currency THEN
        RAISE EXCEPTION 'transfer between currencies' USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_one_currency';
    END IF;
    IF NOT transfer_pair_allowed(side.debit_kind, side.credit_kind) THEN
        RAISE EXCEPTION 'no money goes from % to %', side.debit_kind, side.credit_kind
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_pair_allowed';
    END IF;
    NEW.debit_balance_after_minor := NULL;
    NEW.debit_sequence := NULL;
    NEW.credit_balance_after_minor := NULL;
    NEW.credit_sequence := NULL;
    IF side.debit_balance_minor < NEW.amount_minor THEN
        RAISE EXCEPTION 'insufficient funds' USING ERRCODE = 'CA001', DETAIL = json_build_object(
            'account_id', (SELECT public_id FROM wallets_account WHERE id = NEW.debit_account_id), 'kind', side.debit_kind,
            'index', NEW.index, 'balance_minor', side.debit_balance_minor)::text;
    END IF;
    -- Money is paid in up to half of what an account can hold: the other half is room for what is won, which nothing may refuse.
    IF side.credit_balance_minor > (CASE side.debit_kind WHEN 'cage' THEN 4503599627370496 ELSE 9007199254740991 END)
            - NEW.amount_minor THEN
        RAISE EXCEPTION 'balance too large' USING ERRCODE = 'CA002';
    END IF;
    IF side.debit_balance_minor IS NOT NULL THEN
        UPDATE wallets_account SET balance_minor = balance_minor - NEW.amount_minor, sequence = sequence + 1
            WHERE id = NEW.debit_account_id
            RETURNING balance_minor, sequence INTO NEW.debit_balance_after_minor, NEW.debit_sequence;
    END IF;
    IF side.credit_balance_minor IS NOT NULL THEN
        UPDATE wallets_account SET balance_minor = balance_minor + NEW.amount_minor, sequence = sequence + 1
            WHERE id = NEW.credit_account_id
            RETURNING balance_minor, sequence INTO NEW.credit_balance_after_minor, NEW.credit_sequence;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER transfer_apply BEFORE INSERT ON wallets_transfer FOR EACH ROW EXECUTE FUNCTION transfer_apply();

CREATE FUNCTION transfer_reversal_mirrors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM wallets_transfer original
        WHERE original.id = NEW.reversal_of_id AND original.reversal_of_id IS NULL
            AND original.debit_account_id = NEW.credit_account_id AND original.credit_account_id = NEW.debit_account_id
            AND original.amount_minor = NEW.amount_minor;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a reversal mirrors its transfer'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_reversal_mirrors';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER transfer_reversal_mirrors BEFORE INSERT ON wallets_transfer FOR EACH ROW
    WHEN (NEW.reversal_of_id IS NOT NULL) EXECUTE FUNCTION transfer_reversal_mirrors();


-- Post transfers in order, in one call. Runs with its owner's rights: the application's role may neither insert a transfer nor change
-- a balance by itself. All stored accounts are locked first, in ascending order, so that no two calls wait for each other in a ring;
-- a hall's accounts are neither locked nor changed. Without a moment it is the one after the locks, so that times follow sequences.
CREATE FUNCTION ledger_post(
    debits bigint[], credits bigint[], amounts bigint[], codes text[], refs text[], reversals bigint[],
    step bigint, moment timestamptz, author bigint
) RETURNS TABLE (
    id bigint, public_id uuid, currency text,
    debit_balance_after_minor bigint, debit_sequence bigint, credit_balance_after_minor bigint, credit_sequence bigint
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM FROM wallets_account account
        WHERE account.id = ANY (debits || credits) AND account.balance_minor IS NOT NULL
        ORDER BY account.id FOR NO KEY UPDATE;
    moment := coalesce(moment, clock_timestamp());
    RETURN QUERY
        INSERT INTO wallets_transfer AS posted (at, step_id, index, debit_account_id, credit_account_id, amount_minor, code, reference,
                                                reversal_of_id, created_by_id)
        SELECT moment, step, p.ordinal - 1, p.debit, p.credit, p.amount, p.code, p.reference, p.reversal, author
        FROM unnest(debits, credits, amounts, codes, refs, reversals)
            WITH ORDINALITY AS p (debit, credit, amount, code, reference, reversal, ordinal)
        ORDER BY p.ordinal
        RETURNING posted.id, posted.public_id, posted.currency::text, posted.debit_balance_after_minor, posted.debit_sequence,
            posted.credit_balance_after_minor, posted.credit_sequence;
END $$;

-- Whoever may call it is named by the application's grants.
REVOKE EXECUTE ON FUNCTION ledger_post FROM PUBLIC;


-- Each transfer as each of its two accounts sees it. Both halves are plain scans in index order, so a page of a long statement costs
-- what a page costs.
CREATE VIEW wallets_statement AS
    SELECT id AS transfer_id, debit_account_id AS account_id, credit_account_id AS counterpart_id, 'out' AS direction, amount_minor,
           debit_sequence AS sequence, debit_balance_after_minor AS balance_after_minor, credit_sequence AS counterpart_sequence
    FROM wallets_transfer
    UNION ALL
    SELECT id, credit_account_id, debit_account_id, 'in', amount_minor,
           credit_sequence, credit_balance_after_minor, debit_sequence
    FROM wallets_transfer;
